/** `npm start` in a new clone: the demo starts, runs the backup, stops, and starts again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { runNodes } from './run-nodes';

const root = path.join(__dirname, '../..');

interface Demo {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

const DIRECTLY = [process.execPath, 'scripts/start.mjs'] as const;

function start(
  demoDir: string,
  port: number,
  [program, ...args]: readonly string[] = DIRECTLY,
  { cwd = root, drivePort = 0 } = {},
): Demo {
  const child = spawn(program!, args, {
    cwd,
    // It runs no code whose coverage is reported.
    env: {
      ...process.env,
      NODE_V8_COVERAGE: undefined,
      PORT: String(port),
      DRIVE_PORT: drivePort === 0 ? '' : String(drivePort),
      DEMO_DIR: demoDir,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, output: () => output, ended };
}

function isRunning(demo: Demo | undefined): boolean {
  return demo?.child.exitCode === null && demo.child.signalCode === null;
}

/** Waits until the demo has printed its URLs. Rejects if it exits before. */
function ready({ child, output, ended }: Demo): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (output().includes('Ctrl-C ends the demo')) resolve();
    });
    void ended.then(() => reject(new Error(output())));
  });
}

/**
 * A free port below 32768. The system assigns higher ports to other tests that listen on port 0, perhaps before the demo
 * listens on this one.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const server = net.createServer().listen(randomInt(10_000, 32_000), '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    const { port } = server.address() as net.AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Waits until the port is closed, because the exit of a grandchild process can't be observed. */
async function gone(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      await nextPoll();
    } catch {
      return;
    }
  }
}

/** Polling without a pause would take CPU time from the polled processes. */
function nextPoll(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

interface Round {
  ok: boolean;
  name: string;
  number: number;
  restored: string;
  deleted: string[];
  kept: number;
}

interface Node {
  id: string;
  type: string;
  name: string;
  z?: string;
  account?: string;
  props?: { p: string; v: string }[];
}

/** The names of archives that the demo's drive has at its first start. */
function nameOf(day: number): string {
  const two = String(day).padStart(2, '0');
  return `archive-2026-01-${two}_0230-00${two}.tar.gz`;
}

function folderArchive(day: number): string {
  const two = String(day).padStart(2, '0');
  return `documents-2026-01-${two}-00${two}.tar.gz`;
}

const EXPECTED_DOCUMENTS = ['letters', 'letters/to-the-landlord.txt', 'notes.txt'];

describe('npm start', () => {
  let demoDir: string;
  let port: number;
  let drivePort: number;
  let demo: Demo;

  before(async () => {
    demoDir = await mkdtemp(path.join(tmpdir(), 'demo-'));
    port = await freePort();
    drivePort = await freePort();
    // What an earlier first start leaves that was interrupted.
    await mkdir(path.join(demoDir, 'node-red'));
    await writeFile(path.join(demoDir, 'node-red/flows.json'), '[');
  });
  // A start takes seconds, so a test that doesn't end the demo leaves it running for the next one.
  beforeEach(async () => {
    if (isRunning(demo)) return;
    demo = start(demoDir, port, DIRECTLY, { drivePort });
    await ready(demo);
  });
  after(async () => {
    if (isRunning(demo)) demo.child.kill('SIGINT');
    await demo.ended;
    await rm(demoDir, { recursive: true, force: true });
  });

  const driveUrl = (): string => /local drive {2}(http:\S+)/.exec(demo.output())?.[1] ?? '';
  const backup = async (): Promise<Round> => {
    const response = await fetch(`http://127.0.0.1:${port}/demo/backup`);
    const text = await response.text();
    text.should.endWith('}\n');
    return JSON.parse(text) as Round;
  };

  const tryPrune = async () => {
    const tab = 'Keep 7 daily, 4 weekly, 12 monthly backups';
    const { kept, removed } = await runNodes<Record<string, Node[]>>(port, tab, 'cloud-drive-prune');
    return { kept: kept!.map(({ name }) => name), removed: removed!.map(({ name }) => name) };
  };
  const newest = async () =>
    (await runNodes<Node>(port, 'Download the newest backup', 'list the backups', 'newest')).name;

  it('runs the backup', async () => {
    // The examples look where the archives are. Seven days stay, and the last one of the first week.
    const before = await tryPrune();
    before.kept.should.have.length(8);
    before.removed.should.eql([5, 3, 2, 1].map(nameOf));
    (await newest()).should.equal(folderArchive(12));
    const first = await backup();
    first.ok.should.be.true();
    first.number.should.equal(13);
    first.name.should.match(/^documents-\d{4}-\d\d-\d\d-0013\.tar\.gz$/);
    // Of twelve nights in January, seven days including today stay, and the last nights of the weeks and of the month.
    first.deleted.should.eql([6, 5, 3, 2, 1].map(folderArchive));
    first.kept.should.equal(8);
    (await readdir(path.join(first.restored, 'documents'), { recursive: true }))
      .sort()
      .should.eql(EXPECTED_DOCUMENTS);
    // The archives of other names are left alone.
    (await tryPrune()).should.eql(before);
    (await newest()).should.equal(first.name);
  });

  it('stores a snapshot with the flow of the example', async () => {
    const flows = await readFile(path.join(demoDir, 'node-red/flows.json'), 'utf8');
    const { id } = (JSON.parse(flows) as Node[]).find(
      ({ type, name, z }) => type === 'inject' && name === 'every night at 02:30' && z === 'cdsn0tab000000',
    )!;
    (await fetch(`http://127.0.0.1:${port}/inject/${id}`, { method: 'POST' })).ok.should.be.true();
    const drive = driveUrl();
    const headers = { Authorization: 'Bearer demo-access-token' };
    const found = async (query: string): Promise<{ id: string }[]> => {
      const search = new URLSearchParams({ q: query });
      const response = await fetch(`${drive}/drive/v3/files?${search}`, { headers });
      return ((await response.json()) as { files: { id: string }[] }).files;
    };
    const isStored = async (): Promise<boolean> => {
      const [folder] = await found(`name = 'snapshots'`);
      return folder !== undefined && (await found(`'${folder.id}' in parents`)).length > 0;
    };
    while (!(await isStored())) await nextPoll();
  });

  it('provides the local files of each example', async () => {
    const flows = await readFile(path.join(demoDir, 'node-red/flows.json'), 'utf8');
    flows.should.not.containEql('/home/pi');
    const nodes = JSON.parse(flows) as Node[];
    const [copy] = nodes.filter(({ type, name }) => type === 'inject' && name === 'every night at 01:00');
    const { v: source } = copy!.props!.find(({ p }) => p === 'filename')!;
    (await readdir(source, { recursive: true })).sort().should.eql(EXPECTED_DOCUMENTS);
  });

  it('revoking the second account’s sign-in leaves the first one signed in', async () => {
    const drive = driveUrl();
    const admin = `http://127.0.0.1:${port}/cloud-drive-account`;
    const send = (method: string, where: string, body?: object) =>
      fetch(`${admin}/${where}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const flows = await readFile(path.join(demoDir, 'node-red/flows.json'), 'utf8');
    const nodes = JSON.parse(flows) as Node[];
    const { account } = nodes.find(({ name }) => name === 'open me to sign in')!;
    const form = nodes.find(({ id }) => id === account)!;
    const client = { clientId: 'local-client', clientSecret: '__PWRD__' };
    const started = await send('POST', `${account}/sign-in`, { ...form, ...client, flow: 'device' });
    const { session, userCode } = (await started.json()) as { session: string; userCode: string };
    const approval = new URLSearchParams({ user_code: userCode, action: 'approve' });
    (await fetch(`${drive}/device`, { method: 'POST', body: approval })).ok.should.be.true();
    const state = async () =>
      ((await (await send('GET', `sign-in/${session}`)).json()) as { state: string }).state;
    while ((await state()) === 'pending') await nextPoll();
    (await state()).should.equal('authorized');
    (await send('DELETE', `${account}/sign-in?revoke=true`)).status.should.equal(204);
    (await backup()).ok.should.be.true();
  });

  it('prints the client of the documentation, which can sign in', async () => {
    const line = demo
      .output()
      .split('\n')
      .find((each) => each.startsWith('{"installed"'))!;
    const { installed } = JSON.parse(line) as { installed: Record<string, string> };
    const guide = await readFile(path.join(root, 'docs/signing-in.md'), 'utf8');
    for (const part of ['client_id', 'client_secret']) guide.should.containEql(`\`${installed[part]}\``);
    const drive = installed['token_uri']!.replace('/token', '');
    const device = await fetch(`${drive}/device/code`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: installed['client_id']!,
        client_secret: installed['client_secret']!,
        scope: 'https://www.googleapis.com/auth/drive.file',
      }),
    });
    should(await device.json()).have.property('user_code');
  });

  it('reports a port that is in use without affecting its owner', async () => {
    const other = start(demoDir, port);
    should(await other.ended).equal(1);
    other.output().should.containEql(`Port ${port} is in use`);
    (await fetch(`http://127.0.0.1:${port}/settings`)).ok.should.be.true();
  });

  it('DRIVE_PORT is the port of the local drive, and must be free', async () => {
    const folder = path.join(demoDir, 'other');
    const other = start(folder, await freePort(), DIRECTLY, { drivePort: port });
    should(await other.ended).equal(1);
    other.output().should.containEql(`DRIVE_PORT=${port + 1} npm start`);
    demo.output().should.containEql(`local drive  http://127.0.0.1:${drivePort}\n`);
  });

  it('needs no dependencies until it has installed them', async () => {
    const clone = path.join(demoDir, 'clone');
    await cp(path.join(root, 'scripts'), path.join(clone, 'scripts'), { recursive: true });
    const other = start(demoDir, port, DIRECTLY, { cwd: clone });
    should(await other.ended).equal(1);
    other.output().should.containEql(`Port ${port} is in use`);
  });

  it('reports that a demo with the same data is running already', async () => {
    const other = start(demoDir, await freePort());
    should(await other.ended).equal(1);
    other.output().should.containEql(`process ${demo.child.pid}`).and.containEql('DEMO_DIR=');
  });

  it('stops its processes when killed, continues with the same data, and stops when npm gets SIGTERM', async () => {
    const { number } = await backup();
    const drive = driveUrl();
    demo.child.kill('SIGKILL');
    await demo.ended;
    for (const url of [`${drive}/device`, `http://127.0.0.1:${port}/settings`]) await gone(url);
    demo = start(demoDir, port, ['npm', 'start'], { drivePort: await freePort() });
    await ready(demo);
    const next = await backup();
    next.ok.should.be.true();
    next.number.should.equal(number + 1);
    // All processes of the demo have the same stderr, which is closed when the last one has exited.
    const closed = once(demo.child, 'close');
    demo.child.kill('SIGTERM');
    await closed;
    await fetch(`http://127.0.0.1:${port}/settings`).should.be.rejected();
  });

  it('stores no secrets in its flows', async () => {
    const flows = await readFile(path.join(demoDir, 'node-red/flows.json'), 'utf8');
    flows.should.not.match(/(?:demo|local)-secret|demo-refresh-token|demo-access-token/);
    const credentials = await readFile(path.join(demoDir, 'node-red/flows_cred.json'), 'utf8');
    credentials.should.not.match(/(?:demo|local)-secret|demo-refresh-token/);
  });

  it('stops all its processes', async () => {
    const drive = driveUrl();
    (await fetch(`${drive}/device`)).ok.should.be.true();
    demo.child.kill('SIGINT');
    should(await demo.ended).equal(0);
    await fetch(`${drive}/device`).should.be.rejected();
    await fetch(`http://127.0.0.1:${port}/settings`).should.be.rejected();
  });
});
