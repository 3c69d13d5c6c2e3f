/** An interrupted transfer leaves no connection and no open file, and resumes. kill_long.ts kills transfers repeatedly. */
import { mkdtemp, readFile, readdir, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type Direction, NodeRedEnv, md5OfFile } from './node-red-env';

/** Bytes transferred before the interruption; at this rate the rest would exceed the timeout of the test. */
const TRANSFERRED = 1_100_000;
const SIZE = 20_000_000;
const BYTES_PER_SECOND = 400_000;
/** Bytes that may be sent twice. */
const MAX_RESENT = 4 * 1024 * 1024;

interface InterruptionCase {
  name: string;
  interrupt: (env: NodeRedEnv, direction: Direction) => Promise<void>;
  /** Makes the transfer possible again. */
  restore?: (env: NodeRedEnv) => Promise<void>;
}

const INTERRUPTIONS: readonly InterruptionCase[] = [
  {
    name: 'msg.cancel',
    interrupt: ({ nodeRed }, direction) => Promise.resolve(nodeRed.receive(direction, { cancel: true })),
  },
  {
    name: 'redeploying the node',
    interrupt: ({ nodeRed, flow }) => nodeRed.deploy(flow({ name: 'renewed' }), 'nodes'),
  },
  {
    name: 'removing the node',
    interrupt: ({ nodeRed, flow }, direction) =>
      nodeRed.deploy(
        flow().filter(({ id }) => id !== direction),
        'nodes',
      ),
    restore: ({ nodeRed, flow }) => nodeRed.deploy(flow(), 'nodes'),
  },
  {
    name: 'stopping Node-RED',
    interrupt: ({ nodeRed }) => nodeRed.stop(),
    restore: ({ nodeRed }) => nodeRed.start(),
  },
  {
    name: 'killing Node-RED',
    interrupt: ({ nodeRed }) => nodeRed.kill(),
    restore: ({ nodeRed }) => nodeRed.start(),
  },
];

const OLD = Buffer.from('what was there before');

describe('interrupted transfers', () => {
  if (process.platform !== 'linux') return;
  let env: NodeRedEnv;
  let id: string;

  before(async () => {
    env = await NodeRedEnv.open({ size: SIZE });
    id = await env.drive.files.add({ name: 'large.bin', content: { path: env.source.path } });
  });
  after(() => env.close());

  for (const { name, interrupt, restore } of INTERRUPTIONS) {
    for (const direction of ['upload', 'download'] as const) {
      it(`${name} closes the connection and files of ${direction === 'upload' ? 'an upload' : 'a download'}, which resumes when run again`, async () => {
        const { drive, nodeRed, disk, source } = env;
        const folder = await mkdtemp(path.join(disk, 'target-'));
        const target = path.join(folder, 'target.bin');
        if (direction === 'download') await writeFile(target, OLD);
        const folderId = await drive.files.addFolder(name);
        const run = () => (direction === 'upload' ? env.upload(folderId) : env.download(id, target));
        env.throttle(BYTES_PER_SECOND);
        const wireBytes = (): number => drive.traffic[direction === 'upload' ? 'received' : 'sent'];
        const before = wireBytes();
        void run();
        await drive.traffic.until(() => wireBytes() - before >= TRANSFERRED);
        const { pid } = nodeRed;
        const [request] = env.contentRequests().slice(-1);
        const resources = { pid, folder: disk, port: request?.clientPort ?? 0 };
        (await isOpen(resources)).should.be.true();
        const start = performance.now();
        await interrupt(env, direction);
        while (await isOpen(resources)) await new Promise((resolve) => setTimeout(resolve, 5));
        process.stdout.write(`      stopped after ${Math.round(performance.now() - start)} ms\n`);
        if (direction === 'download') (await readFile(target)).equals(OLD).should.be.true();
        drive.files.in(folderId).should.be.empty();

        env.throttle();
        await restore?.(env);
        const { error, payload } = await run();
        should(error).be.undefined();
        if (direction === 'upload') should(payload).match({ md5Checksum: source.md5 });
        else should(await md5OfFile(target)).equal(source.md5);
        drive.files.in(folderId).should.have.length(direction === 'upload' ? 1 : 0);
        (await readdir(folder)).should.deepEqual(direction === 'upload' ? [] : ['target.bin']);
        (wireBytes() - before).should.be.within(SIZE, SIZE + MAX_RESENT);
        const { headers } = env.contentRequests().slice(-1)[0]!;
        String(headers['content-range'] ?? headers.range).should.match(/^bytes[ =][1-9]/);
      });
    }
  }
});

interface Resources {
  pid: number;
  /** Folder of open files. */
  folder: string;
  /** Local port of the connection. */
  port: number;
}

/** Whether the process has the connection or a file in the folder open; see proc(5). */
async function isOpen({ pid, folder, port }: Resources): Promise<boolean> {
  const fds = `/proc/${pid}/fd`;
  const names = await readdir(fds).catch((): string[] => []);
  const open = await Promise.all(names.map((name) => readlink(path.join(fds, name)).catch(() => '')));
  const sockets = names.length === 0 ? '' : await readFile(`/proc/${pid}/net/tcp`, 'utf8');
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const row = sockets.split('\n').find((line) => line.includes(`: ${local}`));
  const inode = row?.trim().split(/\s+/)[9];
  return open.some((target) => target.startsWith(folder) || target === `socket:[${inode ?? ''}]`);
}
