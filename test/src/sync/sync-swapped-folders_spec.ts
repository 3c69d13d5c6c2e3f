/** Folders that someone replaces by links while a synchronization runs. */
import 'should';
import { rename, symlink } from 'node:fs/promises';
import type { DriveError, SyncRequest, SyncResult } from '../../../src/index';
import type { FaultMatch } from '../../local-drive';
import { syncFixture } from '../../support/sync/sync-fixture';
import { type Tree, readDisk, writeDisk } from '../../support/sync/trees';

const DOCUMENT = 'application/vnd.google-apps.document';
const LARGE = 'x'.repeat(2_000_000);

/** When the folder `a` is replaced: while its content is listed, or is being downloaded. */
const LISTED: FaultMatch = { query: /^(?!.*alt=)/, path: /files$/ };
const CONTENT: FaultMatch = { query: /alt=media/ };

interface Case {
  title: string;
  /** Beside a file `kept` at the top, and `document` in `a`. */
  drive: Tree;
  disk?: Tree;
  /** Where the link leads to. */
  outside?: Tree;
  match: FaultMatch;
  /** Which of the matching requests. */
  nth?: number;
  request?: Partial<SyncRequest>;
}

const CASES: Case[] = [
  { title: 'a small file', drive: { 'a/small': 'x' }, match: CONTENT },
  { title: 'a large file', drive: { 'a/large': LARGE }, match: CONTENT },
  {
    title: 'a large file in a listed folder',
    drive: { 'a/large': LARGE },
    match: LISTED,
    nth: 2,
  },
  { title: 'an export', drive: {}, match: { path: /export/ }, request: { exportFormat: 'pdf' } },
  { title: 'a new folder', drive: { 'a/b/c/': '' }, match: LISTED, nth: 3 },
  {
    title: 'the time of a file',
    drive: { 'a/time': 'same' },
    outside: { time: 'same @1600000000' },
    match: LISTED,
    nth: 2,
  },
  {
    title: 'an extra file',
    drive: {},
    outside: { extra: 'x', 'folder/extra': 'x', 'empty/': '' },
    match: LISTED,
    nth: 2,
    request: { extra: 'delete' },
  },
];

for (const symlinks of ['skip', 'follow'] as const) {
  describe(`a download into a folder that is replaced by a link, symlinks: ${symlinks}`, () => {
    const fixture = syncFixture();

    for (const { title, drive, disk = {}, outside = {}, match, nth = 1, request } of CASES) {
      it(`${title} outside stays as it is when a folder is replaced by a link to it, symlinks: ${symlinks}`, async () => {
        const other = `${fixture.path()}-outside`;
        await writeDisk(other, outside);
        await fixture.writeDisk({ kept: 'kept', 'a/': '', ...disk });
        const ids = await fixture.writeDrive({ kept: 'kept', 'a/': '', ...drive });
        await fixture.drive.files.add({ name: 'document', parent: ids['a/'] ?? '', mimeType: DOCUMENT });
        const before = await readDisk(other);
        let isSwapped = false;
        const until = async (): Promise<void> => {
          await rename(fixture.path('a'), `${fixture.path()}-moved`);
          await symlink(other, fixture.path('a'));
          isSwapped = true;
        };
        fixture.drive.faults.add({ kind: 'delay', until, times: 1, match: { ...match, nth } });
        const { error, summary } = await fixture.down({ symlinks, ...request });
        isSwapped.should.be.true();
        (await readDisk(other)).should.eql(before);
        error?.code.should.equal('partial_failure');
        summary.failed.should.be.above(0);
      });
    }
  });
}

describe('an upload from a folder that is replaced by a link', () => {
  const fixture = syncFixture();
  const FOLDER_CREATED: FaultMatch = { method: 'POST', path: /files$/ };
  const SECRET = { secret: 'secret', 'inner/secret': 'secret' };

  /** Replaces the folder `a` on disk during a request. @returns the text of everything on the drive after an upload */
  async function swapDuring(
    match: FaultMatch,
    { outside, request }: { outside: Tree; request?: Partial<SyncRequest> },
  ): Promise<{ drive: string; result: SyncResult }> {
    const other = `${fixture.path()}-outside`;
    await writeDisk(other, outside);
    let isSwapped = false;
    const until = async (): Promise<void> => {
      await rename(fixture.path('a'), `${fixture.path()}-moved`);
      await symlink(other, fixture.path('a'));
      isSwapped = true;
    };
    fixture.drive.faults.add({ kind: 'delay', until, times: 1, match });
    const result = await fixture.up(request);
    isSwapped.should.be.true();
    return { drive: JSON.stringify(await fixture.readDrive()), result };
  }

  for (const symlinks of ['skip', 'follow'] as const) {
    it(`nothing outside is read once the folder is listed, symlinks: ${symlinks}`, async () => {
      await fixture.writeDisk({ 'a/secret': 'public', 'a/inner/secret': 'public', 'new/': '' });
      const { drive, result } = await swapDuring(FOLDER_CREATED, { outside: SECRET, request: { symlinks } });
      drive.should.not.match(/secret"?:"secret/);
      result.summary.should.containEql({ failed: 2 });
      String(
        (result.changes.find(({ action }) => action === 'failed')?.error as DriveError).text,
      ).should.equal('local_file_folder_replaced');
    });

    it(`no file outside is compared, symlinks: ${symlinks}`, async () => {
      await fixture.writeDisk({ 'a/secret': 'public @1600000000', 'new/': '' });
      await fixture.writeDrive({ 'a/secret': 'secret @1500000000' });
      const { drive, result } = await swapDuring(FOLDER_CREATED, { outside: SECRET, request: { symlinks } });
      drive.should.match(/1500000000/);
      result.summary.should.containEql({ failed: 1, updated: 0, unchanged: 0 });
    });

    it(`no names outside are listed, symlinks: ${symlinks}`, async () => {
      await fixture.writeDisk({ 'a/b/secret': 'public', 'a/c/': '' });
      await fixture.writeDrive({ 'a/b/': '' });
      const { drive, result } = await swapDuring(
        { ...LISTED, nth: 2 },
        { outside: { 'b/hidden/': '', 'b/other': 'x' }, request: { symlinks } },
      );
      drive.should.not.match(/hidden|other/);
      JSON.stringify(result.changes).should.not.match(/hidden|other/);
    });
  }

  it('a link inside the folder that is followed may lead to another place in it', async () => {
    await fixture.writeDisk({ 'a/file': 'inside' });
    await symlink('a/file', fixture.path('link'));
    await symlink('a', fixture.path('folder'));
    (await fixture.up({ symlinks: 'follow' })).summary.should.containEql({ created: 3, failed: 0 });
  });
});
