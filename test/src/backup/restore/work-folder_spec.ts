/** The hidden folder of a restore: one restore to a target at a time, and nothing of anyone else is touched. */
import should from 'should';
import fs, { chown, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WorkFolder } from '../../../../src/backup/restore/work-folder';
import { FakeClock } from '../../../support/clock';
import { rejected } from '../../../support/client/rejected';
import { useDisk } from '../../../support/disk';

describe('work folder of a restore', () => {
  const path = useDisk();
  const recovered: string[] = [];
  const recover = ({ path: folder }: WorkFolder): Promise<void> =>
    Promise.resolve(void recovered.push(folder));
  const options = {
    clock: new FakeClock(),
    signal: undefined,
    check: () => Promise.resolve(false),
    proof: () => Promise.resolve('proof'),
  };
  const open = (target: string, recovering = recover): Promise<WorkFolder> =>
    WorkFolder.open(target, recovering, options);

  beforeEach(() => void recovered.splice(0));

  it('A folder that was left is claimed by the next restore to the same target', async () => {
    const first = await open(path('target'));
    await writeFile(first.child('.archive.part'), 'x');
    await first.close();
    const second = await open(path('target'));
    recovered.should.have.length(1);
    (await readdir(path())).should.deepEqual([basename(second.path)]);
    (await readdir(second.path)).should.deepEqual(['.archive.part', 'proof']);
    await second.remove();
  });

  it('What someone has put in the place of the folder is not removed', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const work = await open(path('target'));
    await writeFile(work.child('old'), 'x');
    await rename(work.path, path('moved'));
    await mkdir(work.path);
    await writeFile(join(work.path, 'theirs'), 'x');
    (await work.remove()).should.be.false();
    (await readdir(work.path)).should.deepEqual(['theirs']);
    (await readdir(path('moved'))).should.be.empty();
  });

  it('A folder of a target with the same first 180 bytes in its name is not claimed', async () => {
    const name = 'x'.repeat(200);
    const first = await open(path(`${name}1`));
    await first.close();
    const second = await open(path(`${name}2`));
    recovered.should.be.empty();
    (await readdir(path())).should.containEql(basename(first.path));
    await second.remove();
  });

  it('A symbolic link with the name of a work folder is not followed', async () => {
    const first = await open(path('target'));
    const name = basename(first.path);
    await first.remove();
    await mkdir(path('outside'));
    await symlink('outside', path(name));
    const second = await open(path('target'));
    recovered.should.be.empty();
    second.path.should.not.equal(path(name));
    await second.remove();
    (await readdir(path())).sort().should.deepEqual([name, 'outside'].sort());
  });

  it('A folder of another user is not claimed', async function () {
    // Only root can give a folder away.
    if (process.geteuid?.() !== 0) this.skip('needs root');
    const first = await open(path('target'));
    await first.close();
    await chown(first.path, 65534, 65534);
    const second = await open(path('target'));
    recovered.should.be.empty();
    await second.remove();
    (await readdir(path())).should.deepEqual([basename(first.path)]);
  });

  it('Of restores to one target that start at once, at most one runs', async () => {
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => open(path('target'))));
    const opened = results.filter((result) => result.status === 'fulfilled');
    opened.length.should.be.belowOrEqual(1);
    for (const { value } of opened) await value.remove();
    (await readdir(path())).should.be.empty();
  });

  it('A folder with a heartbeat is not claimed, whatever the clocks of its machine and of this one say', async () => {
    const first = await open(path('target'));
    await first.close();
    const other = path('.target.restore-00000000-1-1-00000000-0');
    await rename(first.path, other);
    let time = Date.now() / 1_000 - 3_600;
    const clock = new FakeClock();
    clock.onSleep = () => utimesSync(other, new Date(), (time += 1));
    utimesSync(other, new Date(), time);
    const opening = WorkFolder.open(path('target'), recover, { ...options, clock });
    await rejected(opening, 'conflict', 'conflict_restore_running');
    (await readdir(path())).should.deepEqual([basename(other)]);
  });

  it('While a folder is recovered, another restore to the target is a conflict', async () => {
    await (await open(path('target'))).close();
    const second = await open(path('target'), async () => {
      await rejected(open(path('target')), 'conflict', 'conflict_restore_running');
    });
    await second.remove();
  });

  it('A disk that becomes full when the folder is created leaves nothing', async () => {
    const { writeFile: original } = fs;
    fs.writeFile = async (file, ...args) => {
      await original(file, '');
      if (args.length > 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    };
    try {
      await should(open(path('target'))).be.rejectedWith('ENOSPC');
    } finally {
      fs.writeFile = original;
    }
    (await readdir(path())).should.be.empty();
  });

  it('An empty folder of a run that was killed when it had just created it is removed', async () => {
    const first = await open(path('target'));
    await first.remove();
    await mkdir(first.path, 0o700);
    await (await open(path('target'))).remove();
    (await readdir(path())).should.be.empty();
  });

  it('A folder that could not be recovered is claimed again by the next restore', async () => {
    const first = await open(path('target'));
    await writeFile(first.child('journal'), '');
    await first.close();
    const failing = (): Promise<void> => Promise.reject(new Error('disk full'));
    await should(open(path('target'), failing)).be.rejectedWith('disk full');
    const next = await open(path('target'));
    recovered.should.have.length(1);
    await next.remove();
    (await readdir(path())).should.be.empty();
  });
});
