/** Folders of the target that someone replaces by links while a download runs. */
import 'should';
import { rename, symlink } from 'node:fs/promises';
import type { SyncRequest } from '../../../src/index';
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
