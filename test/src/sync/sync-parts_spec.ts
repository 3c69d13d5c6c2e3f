/** Part files in a folder on disk: those of the run itself, and what killed runs have left. */
import should from 'should';
import fs, { chown, mkdir, readFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { targetInPartName } from '../../../src/fs/reserved-names';
import { currentOwner } from '../../../src/fs/part-owner';
import type { SyncProgress, SyncResult } from '../../../src/index';
import type { RecordedRequest } from '../../local-drive';
import { bytes } from '../../support/content';
import { syncFixture } from '../../support/sync/sync-fixture';

const DOCUMENT = 'application/vnd.google-apps.document';
/** Bytes of a file that is downloaded to a part file, and of one that isn't. */
const [LARGE, SMALL] = [8_000_000, 1_000];

describe('part files of a synchronization', () => {
  const fixture = syncFixture();
  const addFile = (name: string, size: number): Promise<string> =>
    fixture.add(name, { content: bytes(size) });

  /** Of a process that has ended. */
  function killedPart(target: string, key = '0123456789abcdef'): string {
    const owner = `${currentOwner().pidNamespace}-${process.pid}-1-00000000-0`;
    return `.${targetInPartName(target)}.${key}.${owner}.part`;
  }

  /** Downloads the beginning of a file. @returns the name of its part file, as if its process had been killed */
  async function killDownload(name: string): Promise<string> {
    const aborter = new AbortController();
    const onProgress = (progress: SyncProgress): void => {
      if (progress.bytes > 0) aborter.abort();
    };
    const { error } = await fixture.down({ onProgress }, { signal: aborter.signal });
    error?.code.should.equal('cancelled');
    const [part = ''] = (await readdir(fixture.path())).filter((each) => each.startsWith(`.${name}.`));
    const killed = killedPart(name, /\.([0-9a-f]{16})\./.exec(part)?.[1]);
    await rename(fixture.path(part), fixture.path(killed));
    return killed;
  }

  it('a folder on disk is listed once, however many large files and documents are downloaded to it', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await addFile(name, 1_100_000);
    for (const name of ['e', 'f']) await fixture.add(name, { mimeType: DOCUMENT });
    const { readdir: original } = fs;
    const listed: unknown[] = [];
    fs.readdir = ((...args: Parameters<typeof original>) => {
      listed.push(args[0]);
      return original(...args);
    }) as typeof original;
    try {
      (await fixture.down({ exportFormat: 'pdf' })).summary.created.should.equal(6);
    } finally {
      fs.readdir = original;
    }
    listed.filter((each) => each === fixture.path()).should.have.length(1);
  });

  it('small files are downloaded while large ones stand still', async () => {
    const large = new Set<string>();
    for (const name of ['a', 'b', 'c', 'd', 'e']) large.add(await addFile(name, LARGE));
    for (let count = 0; count < 10; count++) await addFile(`small-${count}`, SMALL);
    let requested = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isLarge = ({ path, query }: RecordedRequest): boolean => {
      if (!query.includes('alt=media')) return false;
      const found = [...large].some((id) => path.endsWith(id));
      if (!found && ++requested === 10) release();
      return found;
    };
    const match = { when: isLarge };
    fixture.drive.faults.add({ kind: 'delay', until: () => released, match, times: Infinity });
    (await fixture.down()).summary.created.should.equal(15);
  });

  it('an empty file that a killed download has left beside its part isn’t uploaded, and the next download replaces it', async () => {
    const id = await addFile('small', SMALL);
    await writeFile(fixture.path(killedPart('small')), bytes(SMALL));
    await writeFile(fixture.path('small'), '');
    const { changes } = await fixture.up({ extra: 'delete' });
    changes.map(({ path }) => path).should.eql([killedPart('small')]);
    (await fixture.drive.files.contentOf(id)).should.eql(bytes(SMALL));
    (await fixture.down()).summary.should.containEql({ updated: 1, failed: 0 });
    (await readFile(fixture.path('small'))).should.eql(bytes(SMALL));
  });

  it('the folder of a run that was killed while it looked at the disk is left out, and removed by a later download', async () => {
    await mkdir(fixture.path('.sync-probe-Ab12Cd'), 0o700);
    await writeFile(fixture.path('.sync-probe-Ab12Cd', 'case'), '');
    (await fixture.up()).changes.should.eql([]);
    await fixture.down({ extra: 'delete' });
    (await readdir(fixture.path())).should.eql(['.sync-probe-Ab12Cd']);
    await utimes(fixture.path('.sync-probe-Ab12Cd'), 1_700_000_000, 1_700_000_000);
    await fixture.down();
    (await readdir(fixture.path())).should.eql([]);
  });

  it('a folder that was renamed to the name of a probe folder keeps its files', async () => {
    const probe = fixture.path('.sync-probe-Ab12Cd');
    await mkdir(probe, 0o700);
    await writeFile(join(probe, 'case'), 'content');
    await utimes(probe, 1_700_000_000, 1_700_000_000);
    await fixture.down();
    (await readFile(join(probe, 'case'), 'utf8')).should.equal('content');
  });

  it('a part that a killed run has left is resumed, and the others are removed', async () => {
    const id = await addFile('large', LARGE);
    await killDownload('large');
    await addFile('small', SMALL);
    for (const name of ['large', 'small', 'not on the drive'])
      await writeFile(fixture.path(killedPart(name, 'fedcba9876543210')), 'x');
    fixture.drive.requests.clear();
    const { summary } = await fixture.down({ extra: 'delete' });
    summary.should.containEql({ created: 2, removed: 0, failed: 0 });
    (await readdir(fixture.path())).sort().should.eql(['large', 'small']);
    (await readFile(fixture.path('large'))).equals(bytes(LARGE)).should.be.true();
    const [request] = fixture.drive.requests.to('GET', id);
    String(request?.headers.range).should.match(/^bytes=[1-9]\d*-$/);
  });

  it('a part that another user has put there is neither continued nor removed', async function () {
    // Only root can give a file away.
    if (process.geteuid?.() !== 0) this.skip('needs root');
    const id = await addFile('large', LARGE);
    const part = await killDownload('large');
    await chown(fixture.path(part), 65534, 65534);
    fixture.drive.requests.clear();
    await fixture.down({ extra: 'delete' });
    (await readdir(fixture.path())).sort().should.eql([part, 'large']);
    should(fixture.drive.requests.to('GET', id)[0]?.headers.range).be.undefined();
  });

  it('parts in a folder that exists only on disk are removed, and the folder too', async () => {
    await addFile('small', SMALL);
    await fixture.writeDisk({ 'old/': '' });
    await writeFile(fixture.path('old', killedPart('large')), 'x');
    await fixture.down({ extra: 'delete' });
    (await readdir(fixture.path())).should.eql(['small']);
  });

  it('an upload neither uploads nor removes part files, work folders and probes, and reports those with content', async () => {
    const part = killedPart('a.txt');
    await fixture.writeDisk({ 'a.txt': 'a', [part]: 'x', [`d/${part}`]: 'x' });
    const work = '.home.restore-0123abcd-12-0a1b2c-89abcdef-0';
    const odd = { [`${work}/old/file`]: 'x', '.sync-probe-Ab12Cd/file': 'x', '.sync-probe-Ab12Ce/d/': '' };
    await fixture.writeDisk({ ...odd, '.sync-probe-Ab12Cf/case': '', '.sync-probe-Ab12Cg/d/': '' });
    const { changes, summary } = await fixture.up({ extra: 'trash', exclude: ['*Cg'] });
    summary.skipped.should.equal(5);
    changes
      .filter(({ action }) => action === 'skipped')
      .map(({ path, reason = '' }) => `${path} ${reason}`)
      .sort()
      .should.eql(
        [part, `d/${part}`, work, '.sync-probe-Ab12Cd', '.sync-probe-Ab12Ce']
          .map((path) => `${path} reserved_name`)
          .sort(),
      );
    for (const name of [work, ...['Cd', 'Ce', 'Cf', 'Cg'].map((end) => `.sync-probe-Ab12${end}`)])
      await rm(fixture.path(name), { recursive: true });
    Object.keys(await fixture.readDrive())
      .sort()
      .should.eql(['a.txt', 'd/']);
    (await fixture.namesOnDisk()).should.eql(['a.txt', 'd/', `d/${part}`, part].sort());
  });

  it('files and folders on the drive with names of part files and work folders are skipped and reported', async () => {
    await addFile('small', SMALL);
    for (const name of [killedPart('large'), killedPart('other').toUpperCase()]) await addFile(name, SMALL);
    const work = '.home.restore-0123abcd-12-0a1b2c-89abcdef-0';
    await fixture.writeDrive({ [`${work}/journal`]: 'forged', [`${work}/new/way/file`]: 'x' });
    const listed = ({ changes }: SyncResult): string[] =>
      changes.map(({ path, action, reason = '' }) => `${path} ${action} ${reason}`).sort();
    const skipped = [killedPart('large'), killedPart('other').toUpperCase(), work].map(
      (name) => `${name} skipped reserved_name`,
    );
    listed(await fixture.down()).should.eql([...skipped, 'small created '].sort());
    listed(await fixture.down()).should.eql(skipped.sort());
    (await readdir(fixture.path())).should.eql(['small']);
  });
});
