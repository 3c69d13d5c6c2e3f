/** A transfer that is cancelled, deployed over or stopped leaves no connection and no open file. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { type Direction, NodeRedEnv, md5OfFile } from './node-red-env';

/** What moves before the transfer is ended; the rest would take longer than the test may. */
const MOVED = 1_100_000;
const SIZE = 20_000_000;
const SLOW = 400_000;
/** What may be sent twice. */
const LOST = 4 * 1024 * 1024;

interface Ending {
  name: string;
  end: (plant: NodeRedEnv, direction: Direction) => Promise<void>;
  /** So that it can be run again. */
  restore?: (plant: NodeRedEnv) => Promise<void>;
}

const ENDINGS: readonly Ending[] = [
  {
    name: 'msg.cancel',
    end: ({ nodeRed }, direction) => Promise.resolve(nodeRed.receive(direction, { cancel: true })),
  },
  {
    name: 'a redeploy of the node',
    end: ({ nodeRed, flow }) => nodeRed.deploy(flow({ name: 'renewed' }), 'nodes'),
  },
  {
    name: 'the removal of the node',
    end: ({ nodeRed, flow }, direction) =>
      nodeRed.deploy(
        flow().filter(({ id }) => id !== direction),
        'nodes',
      ),
    restore: ({ nodeRed, flow }) => nodeRed.deploy(flow(), 'nodes'),
  },
  {
    name: 'the stop of Node-RED',
    end: ({ nodeRed }) => nodeRed.stop(),
    restore: ({ nodeRed }) => nodeRed.start(),
  },
];

describe('a transfer in the middle of which comes', function () {
  if (process.platform !== 'linux') return;
  this.timeout(35_000);
  let plant: NodeRedEnv;
  let id: string;

  before(async () => {
    plant = await NodeRedEnv.open({ size: SIZE });
    id = await plant.drive.files.add({ name: 'large.bin', content: { path: plant.source.path } });
  });
  after(() => plant.close());

  for (const { name, end, restore } of ENDINGS) {
    for (const direction of ['upload', 'download'] as const) {
      it(`${name}: the ${direction} ends, and goes on when it is run again`, async () => {
        const { drive, nodeRed, disk, source } = plant;
        const folder = await mkdtemp(path.join(disk, 'target-'));
        const target = path.join(folder, 'target.bin');
        const folderId = await drive.files.addFolder(name);
        const run = () => (direction === 'upload' ? plant.upload(folderId) : plant.download(id, target));
        plant.throttle(SLOW);
        const wire = (): number => drive.traffic[direction === 'upload' ? 'received' : 'sent'];
        const before = wire();
        void run();
        await drive.traffic.until(() => wire() - before >= MOVED);
        const { pid } = nodeRed;
        const [request] = plant.contentRequests().slice(-1);
        const what = { pid, folder: disk, port: request?.clientPort ?? 0 };
        (await isOpen(what)).should.be.true();
        const began = performance.now();
        await end(plant, direction);
        while (await isOpen(what)) await new Promise((resolve) => setTimeout(resolve, 5));
        process.stdout.write(`      ended after ${Math.round(performance.now() - began)} ms\n`);
        existsSync(target).should.be.false();

        plant.throttle();
        await restore?.(plant);
        const { error, payload } = await run();
        should(error).be.undefined();
        if (direction === 'upload') should(payload).match({ md5Checksum: source.md5 });
        else should(await md5OfFile(target)).equal(source.md5);
        drive.files.in(folderId).should.have.length(direction === 'upload' ? 1 : 0);
        (await readdir(folder)).should.deepEqual(direction === 'upload' ? [] : ['target.bin']);
        (wire() - before).should.be.within(SIZE, SIZE + LOST);
      });
    }
  }
});

interface Opened {
  pid: number;
  /** Below which it has a file open, */
  folder: string;
  /** or a connection from this port of its own. */
  port: number;
}

/** As Linux tells it: proc(5). */
async function isOpen({ pid, folder, port }: Opened): Promise<boolean> {
  const fds = `/proc/${pid}/fd`;
  const names = await readdir(fds).catch((): string[] => []);
  const open = await Promise.all(names.map((name) => readlink(path.join(fds, name)).catch(() => '')));
  const sockets = names.length === 0 ? '' : await readFile(`/proc/${pid}/net/tcp`, 'utf8');
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const row = sockets.split('\n').find((line) => line.includes(`: ${local}`));
  const inode = row?.trim().split(/\s+/)[9];
  return open.some((what) => what.startsWith(folder) || what === `socket:[${inode ?? ''}]`);
}
