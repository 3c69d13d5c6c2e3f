import { parseArgs } from 'node:util';
import { startLocalDrive, type LocalDriveOptions } from './index';

const USAGE = `usage: local-drive [--port N] [--data DIR] [--client ID:SECRET]... [--token ACCESS] [--refresh-token REFRESH]
  [--token-lifetime S] [--interval S] [--device-lifetime S] [--name-match substring|word] [--faults]`;

/** The command line of the service; texts of errors never repeat a value, which may be a secret. */
function readCommandLine(args: string[]): LocalDriveOptions {
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
    },
  });
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
    recorded: 0,
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
  let options: LocalDriveOptions = {};
  try {
    options = readCommandLine(process.argv.slice(2));
  } catch (error) {
    fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
  const drive = await startLocalDrive(options).catch((error: NodeJS.ErrnoException) =>
    fail(error.code === 'EADDRINUSE' ? `port ${options.port} is taken by another program` : error.message),
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
