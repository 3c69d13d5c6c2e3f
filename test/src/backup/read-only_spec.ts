/** Lists and checks write nothing, neither to the disk nor to the drive, and leave nothing behind when they are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { build } from 'esbuild';
import should from 'should';
import { packed } from '../../support/archive/packed';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { describeTree, writeTree } from '../../support/archive/tree';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';

const CHILD = require.resolve('../../support/archive/read-child');

describe('reading an archive', () => {
  const fixture = restoreFixture();
  const built = useDisk('suite');
  let ids: Record<'indexed' | 'plain', string>;

  // Compiled once: each of the processes would need a second for that.
  before(() =>
    build({
      entryPoints: [CHILD, require.resolve('../../../src/backup/archive/archive-worker')],
      ...{ bundle: true, platform: 'node', outdir: built(), entryNames: '[name]', logLevel: 'error' },
    }),
  );
  beforeEach(async () => {
    await writeTree(fixture.path('home'), {
      'docs/a.txt': 'hello',
      large: bytes(2_000_000).toString('latin1'),
    });
    await mkdir(fixture.path('tmp'));
    const add = async (name: string, compression: 'gzip' | 'none'): Promise<string> => {
      return fixture.addArchive(name, await packed(fixture.path('home'), { compression }));
    };
    ids = { indexed: await add('home-0001.tar.gz', 'gzip'), plain: await add('home-0002.tar', 'none') };
    fixture.drive.requests.clear();
  });

  /** With its temporary, home and working folder on the disk that is compared. */
  function start(action: string, id: string): ChildProcess {
    const args = [built('read-child.js'), action, fixture.drive.url, id, fixture.path('home')];
    const folders = { TMPDIR: fixture.path('tmp'), HOME: fixture.path('tmp') };
    const env = { ...process.env, ...folders, NODE_V8_COVERAGE: undefined };
    const options = { cwd: fixture.path('tmp'), env };
    return spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  for (const [action, kind] of [
    ['compare', 'indexed'],
    ['list', 'plain'],
  ] as const) {
    it(`${action} of an archive (${kind}) writes nothing, and nothing is left when it is killed`, async () => {
      const before = await describeTree(fixture.path());
      const finished = start(action, ids[kind]);
      let output = '';
      finished.stdout!.on('data', (chunk) => (output += String(chunk)));
      should(await once(finished, 'close')).eql([0, null]);
      should(JSON.parse(output)).containEql({ entries: 4 });
      (await describeTree(fixture.path())).should.eql(before);
      let endStall = (): void => undefined;
      const until = new Promise<void>((resolve) => (endStall = resolve));
      const match = { query: /alt=media/ };
      const stall = fixture.drive.faults.add({ kind: 'stallResponse', bytes: 1_000, until, match });
      const killed = start(action, ids[kind]);
      await fixture.drive.traffic.until(() => stall.hits > 0);
      killed.kill('SIGKILL');
      should(await once(killed, 'close')).eql([null, 'SIGKILL']);
      endStall();
      (await describeTree(fixture.path())).should.eql(before);
      fixture.drive.requests.all.forEach(({ method }) => method.should.equal('GET'));
    });
  }
});
