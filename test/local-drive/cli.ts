/** `npm run local-drive`: the service as a command. */
import { parseArgs } from 'node:util';
import { DEFAULT_CLIENT, startLocalDrive, type LocalDriveOptions } from './index';

const USAGE = `usage: local-drive [--port N] [--data DIR] [--client ID:SECRET]... [--token ACCESS] [--refresh-token REFRESH]
  [--token-lifetime S] [--interval S] [--device-lifetime S] [--name-match substring|word] [--hash streaming|lazy] [--faults]`;

const HELP = `${USAGE}

A cloud drive on this machine, for trials and tests. It listens on 127.0.0.1 and prints: ready http://127.0.0.1:PORT

  --port N               where it listens; 0, the default, takes a free one
  --data DIR             where files and sign-ins are kept; without it in a temporary folder that is removed at the end
  --client ID:SECRET     an OAuth client; more than one may be given; without any ${DEFAULT_CLIENT.id}:${DEFAULT_CLIENT.secret}
  --token ACCESS         an access token that never ends
  --refresh-token TOKEN  a refresh token of the first client
  --token-lifetime S     seconds that access tokens last: 3599
  --interval S           seconds between two polls of a sign-in with a code: 5
  --device-lifetime S    seconds that such a code lasts: 1800
  --name-match HOW       what "name contains" finds: substring, or word (beginnings of words only, as Google does)
  --hash WHEN            when the checksums of large files are taken: streaming (as they come in), or lazy
  --faults               others may let requests fail: POST /_faults
  --help                 this page

Codes are typed in at /device; test/local-drive/README.md has the rest.
`;

/**
 * The command line of the service; texts of errors never repeat a value, which may be a secret.
 * @returns undefined where help is asked for
 */
function readCommandLine(args: string[]): LocalDriveOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      client: { type: 'string', multiple: true },
      token: { type: 'string' },
      'refresh-token': { type: 'string' },
      'token-lifetime': { type: 'string' },
      interval: { type: 'string' },
      'device-lifetime': { type: 'string' },
      'name-match': { type: 'string' },
      hash: { type: 'string' },
      faults: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  return {
    port: numberOf('port', values.port),
    dataDir: values.data,
    clients: values.client?.map(clientOf),
    token: values.token,
    refreshToken: values['refresh-token'],
    tokenLifetime: numberOf('token-lifetime', values['token-lifetime']),
    interval: numberOf('interval', values.interval),
    deviceLifetime: numberOf('device-lifetime', values['device-lifetime']),
    nameMatch: oneOf('name-match', values['name-match'], ['substring', 'word'] as const),
    hash: oneOf('hash', values.hash, ['streaming', 'lazy'] as const),
    faultsOverHttp: values.faults,
    maxRecordedRequests: 0,
    log,
  };
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || (name === 'port' && Number(text) > 65535)) {
    throw new Error(`--${name} must be a whole number`);
  }
  return Number(text);
}

function oneOf<T extends string>(
  name: string,
  text: string | undefined,
  values: readonly T[],
): T | undefined {
  const value = values.find((each) => each === text);
  if (text !== undefined && value === undefined) throw new Error(`--${name} must be ${values.join(' or ')}`);
  return value;
}

function clientOf(text: string): { id: string; secret: string } {
  const colon = text.indexOf(':');
  if (colon < 1) throw new Error('--client must be ID:SECRET');
  return { id: text.slice(0, colon), secret: text.slice(colon + 1) };
}

function log(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

function fail(message: string): never {
  process.stderr.write(`local-drive: ${message}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  let options: LocalDriveOptions | undefined;
  try {
    options = readCommandLine(process.argv.slice(2));
  } catch (error) {
    fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
  if (!options) {
    process.stdout.write(HELP);
    return;
  }
  const { port } = options;
  const drive = await startLocalDrive(options).catch((error: NodeJS.ErrnoException) =>
    fail(error.code === 'EADDRINUSE' ? `port ${port} is taken by another program` : error.message),
  );
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log(`${signal}: ending`);
    drive.close().then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Where it was started with a channel (the demo's), its end is that of the one who started it.
  process.once('disconnect', () => stop('SIGTERM'));
  log(`data in ${drive.dataDir}; codes are entered at ${drive.url}/device`);
  process.stdout.write(`ready ${drive.url}\n`);
}

void main();
