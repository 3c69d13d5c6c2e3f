/** `npm run local-drive`: the local drive as a command. */
import { parseArgs } from 'node:util';
import { DEFAULT_CLIENT, startLocalDrive, type LocalDriveOptions } from './index';

const USAGE = `usage: local-drive [--port N] [--data DIR] [--client ID:SECRET]... [--token ACCESS] [--refresh-token REFRESH]
  [--token-lifetime S] [--interval S] [--device-lifetime S] [--name-match substring|word] [--hash streaming|lazy] [--faults]`;

const HELP = `${USAGE}

A cloud drive on this machine, for demos and tests. It listens on 127.0.0.1 and prints: ready http://127.0.0.1:PORT

  --port N               port to listen on; 0, the default, picks a free one
  --data DIR             folder for files and sign-ins; by default a temporary one that is removed on exit
  --client ID:SECRET     an OAuth client, may be repeated; default ${DEFAULT_CLIENT.id}:${DEFAULT_CLIENT.secret}
  --token ACCESS         an access token that never expires
  --refresh-token TOKEN  a refresh token of the first client
  --token-lifetime S     lifetime of access tokens in seconds; default 3599
  --interval S           seconds between polls of a device sign-in; default 5
  --device-lifetime S    lifetime of device codes in seconds; default 1800
  --name-match HOW       what "name contains" matches: substring, or word (beginnings of words, as in Google Drive)
  --hash WHEN            when checksums of large files are computed: streaming (during the upload) or lazy
  --faults               accept faults from other processes: POST /_faults
  --help                 show this help

Enter device codes at /device. See test/local-drive/README.md for details.
`;

/**
 * Parses the command line. Error messages never repeat a value, which may be a secret.
 * @returns undefined for --help
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
    port: parseNumber('port', values.port),
    dataDir: values.data,
    clients: values.client?.map(parseClient),
    token: values.token,
    refreshToken: values['refresh-token'],
    tokenLifetime: parseNumber('token-lifetime', values['token-lifetime']),
    interval: parseNumber('interval', values.interval),
    deviceLifetime: parseNumber('device-lifetime', values['device-lifetime']),
    nameMatch: parseChoice('name-match', values['name-match'], ['substring', 'word'] as const),
    hash: parseChoice('hash', values.hash, ['streaming', 'lazy'] as const),
    faultsOverHttp: values.faults,
    maxRecordedRequests: 0,
    log,
  };
}

function parseNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || (name === 'port' && Number(text) > 65535)) {
    throw new Error(`--${name} must be a whole number`);
  }
  return Number(text);
}

function parseChoice<T extends string>(
  name: string,
  text: string | undefined,
  values: readonly T[],
): T | undefined {
  const value = values.find((each) => each === text);
  if (text !== undefined && value === undefined) throw new Error(`--${name} must be ${values.join(' or ')}`);
  return value;
}

function parseClient(text: string): { id: string; secret: string } {
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
    log(`${signal}: stopping`);
    drive.close().then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Started with an IPC channel, as by the demo, it stops with its parent.
  process.once('disconnect', () => stop('SIGTERM'));
  log(`data in ${drive.dataDir}; enter device codes at ${drive.url}/device`);
  process.stdout.write(`ready ${drive.url}\n`);
}

void main();
