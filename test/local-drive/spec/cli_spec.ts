/** `npm run local-drive`: its options and output. See test/local-drive/README.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import 'should';
import { useDrive, call, temporaryFolder } from './drive-fixture';

const ROOT = join(__dirname, '..', '..', '..');
const SECRETS = ['THE-SECRET', 'THE-TOKEN', 'THE-REFRESH'];

/** Starts the command. `output` resolves with its first line. */
function run(...args: string[]) {
  return runIn({}, ...args);
}

function runIn(environment: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/local-drive/cli.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // It runs no code whose coverage is reported.
    env: { ...process.env, NODE_V8_COVERAGE: undefined, ...environment },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const errors = text(child.stderr);
  const output = new Promise<string>((resolve) => {
    let whole = '';
    child.stdout.on('data', (chunk: Buffer) => {
      whole += chunk.toString();
      if (whole.includes('\n')) resolve(whole);
    });
    child.once('close', () => resolve(whole));
  });
  return { child, ended, errors, output };
}

describe('local drive: the command line', () => {
  const service = useDrive();

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`the local drive prints its URL, serves requests and stops on ${signal}`, async () => {
      const dataDir = await temporaryFolder();
      const { child, ended, errors, output } = run(
        ...['--port', '0', '--data', dataDir, '--client', 'id:THE-SECRET', '--token', 'THE-TOKEN'],
        ...['--refresh-token', 'THE-REFRESH', '--token-lifetime', '60', '--interval', '1'],
        ...['--device-lifetime', '60', '--name-match', 'word'],
      );
      const ready = await output;
      ready.should.match(/^ready http:\/\/127\.0\.0\.1:\d+\n$/);
      const url = ready.slice('ready '.length).trim();
      const list = await call(url, 'GET', '/drive/v3/files', { token: 'THE-TOKEN' });
      list.status.should.equal(200);
      const form = {
        client_id: 'id',
        client_secret: 'THE-SECRET',
        grant_type: 'refresh_token',
        refresh_token: 'THE-REFRESH',
      };
      const token = (await call(url, 'POST', '/token', { form })).json as object;
      token.should.have.property('expires_in', 60);
      const start = await call(url, 'POST', '/upload/drive/v3/files?uploadType=resumable', {
        token: 'THE-TOKEN',
      });
      start.status.should.equal(200);
      child.kill(signal);
      Number(await ended).should.equal(0);
      const logged = await errors;
      logged.should.containEql(dataDir);
      for (const secret of [...SECRETS, 'upload_id']) logged.should.not.containEql(secret);
    });
  }

  it('--help describes every option', async () => {
    const { ended, errors, output } = run('--help');
    Number(await ended).should.equal(0);
    (await errors).should.equal('');
    const help = await output;
    const source = await readFile(join(ROOT, 'test/local-drive/cli.ts'), 'utf8');
    const options = [...source.matchAll(/^ {6}'?([a-z-]+)'?: \{ type: /gm)].map(([, name]) => name!);
    options.length.should.be.above(10);
    for (const option of options) help.should.match(new RegExp(`^ {2}--${option} .* {2}\\S`, 'm'));
  });

  it('the local drive fails with a message if the port is taken, and leaves no folder behind', async () => {
    const temporary = await temporaryFolder();
    const taken = String(service.drive.port);
    const { ended, errors, output } = runIn({ TMPDIR: temporary, TSX_DISABLE_CACHE: '1' }, '--port', taken);
    Number(await ended).should.equal(1);
    (await errors).should.match(new RegExp(`port ${service.drive.port} is taken`));
    (await output).should.equal('');
    (await readdir(temporary)).filter((name) => name.startsWith('local-drive')).should.be.empty();
  });

  for (const [args, message] of [
    [['--port', 'x'], /--port must be/],
    [['--port', '70000'], /--port must be/],
    [['--interval', '-1'], /--interval/],
    [['--client', 'THE-SECRET'], /--client must be ID:SECRET/],
    [['--name-match', 'fuzzy'], /--name-match must be substring or word/],
    [['--unknown'], /--unknown/],
  ] as [string[], RegExp][]) {
    it(`the command line rejects ${args.join(' ')}`, async () => {
      const { ended, errors } = run(...args);
      Number(await ended).should.equal(1);
      const text = await errors;
      text.should.match(message).and.match(/usage: local-drive/);
      text.should.not.containEql('THE-SECRET');
    });
  }
});
