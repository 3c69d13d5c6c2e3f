/** Listings that a synchronization refuses, before it writes anything. */
import 'should';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { rejected } from '../../support/client/rejected';
import { syncFixture } from '../../support/sync/sync-fixture';
import { writeDrive } from '../../support/sync/trees';

const DOCUMENT = 'application/vnd.google-apps.document';

describe('conflicts of a synchronization', () => {
  const fixture = syncFixture();
  const writes = (): number => fixture.drive.requests.all.filter(({ method }) => method !== 'GET').length;

  afterEach(() => writes().should.equal(0));

  it('two files of the same name on the drive are a conflict with their paths', async () => {
    await fixture.writeDrive({ 'd/a.txt': 'a' });
    const [folder] = fixture.drive.files.in(fixture.folderId);
    await fixture.drive.files.add({ name: 'a.txt', parent: folder?.id ?? '', content: 'b' });
    await fixture.writeDisk({ 'new.txt': 'n', 'd/a.txt': 'c' });
    for (const direction of ['up', 'down'] as const) {
      const error = await rejected(fixture[direction](), 'conflict', 'conflict_sync_duplicates');
      error.params.should.eql({ count: 1, paths: 'd/a.txt' });
    }
    (await fixture.namesOnDisk()).should.eql(['d/', 'd/a.txt', 'new.txt']);
  });

  it('a conflict lists the first ten paths and the number of the others', async () => {
    for (let index = 10; index < 22; index++) {
      await fixture.writeDrive({ [`${index}`]: 'a' });
      await fixture.writeDrive({ [`${index}`]: 'b' });
    }
    const { params } = await rejected(fixture.down(), 'conflict', 'conflict_sync_duplicates');
    params.should.eql({ count: 12, paths: '10, 11, 12, 13, 14, 15, 16, 17, 18, 19, +2' });
  });

  it('names that differ only in their Unicode form are a conflict', async () => {
    await fixture.writeDrive({ é: 'a' });
    await fixture.writeDrive({ 'e\u0301': 'b' });
    await rejected(fixture.down(), 'conflict', 'conflict_sync_duplicates');
  });

  it('names that are the same on disk once they are safe are a conflict', async () => {
    for (const name of ['a/b', 'a／b']) await fixture.add(name, { content: 'x' });
    await rejected(fixture.down(), 'conflict', 'conflict_sync_names');
  });

  for (const [title, documents, others, paths] of [
    ['of a document and a file', ['Report'], ['Report.pdf'], 'Report + Report.pdf → d/Report.pdf'],
    ['of a document with the extension and a file', ['a.PDF'], ['a.PDF'], 'a.PDF + a.PDF → d/a.PDF'],
    ['of a document and a folder', ['Report'], ['Report.pdf/'], 'Report + Report.pdf → d/Report.pdf'],
    ['of two documents', ['Report', 'Report'], [], 'Report + Report → d/Report.pdf'],
  ] as const) {
    it(`the same name ${title} once they are exported is a conflict that names both`, async () => {
      const { 'd/': parent = '' } = await fixture.writeDrive({ 'd/': '' });
      for (const name of documents) await fixture.drive.files.add({ name, parent, mimeType: DOCUMENT });
      await writeDrive(fixture.drive, parent, Object.fromEntries(others.map((name) => [name, ''])));
      const error = await rejected(
        fixture.down({ exportFormat: 'pdf' }),
        'conflict',
        'conflict_sync_exports',
      );
      error.params.should.eql({ count: 1, paths });
    });
  }

  it('a document that is not exported has no conflict with a file of the same name', async () => {
    for (const name of ['a.docx', 'a.docx']) await fixture.add(name, { mimeType: DOCUMENT });
    await fixture.writeDrive({ 'a.docx': 'x' });
    (await fixture.down({ dryRun: true })).summary.should.containEql({ created: 1, skipped: 2 });
  });

  it('a file in place of a folder is a conflict in both directions', async () => {
    await fixture.writeDrive({ 'a/b.txt': 'x', b: 'x' });
    await fixture.writeDisk({ a: 'x', 'b/': '' });
    for (const direction of ['up', 'down'] as const) {
      const error = await rejected(fixture[direction](), 'conflict', 'conflict_sync_kinds');
      error.params['paths']?.should.equal('a, b');
    }
  });

  it('with symlinks error, a symbolic link is a conflict', async () => {
    await symlink('nowhere', fixture.path('link'));
    await rejected(fixture.up({ symlinks: 'error' }), 'conflict', 'conflict_sync_symlinks');
    (await fixture.up({ symlinks: 'error', exclude: ['link'] })).changes.should.eql([]);
  });

  it('a folder that contains itself through a link is a conflict', async () => {
    await fixture.writeDisk({ 'a/b/': '' });
    await symlink(fixture.path('a'), fixture.path('a/b/loop'));
    const { params } = await rejected(fixture.up({ symlinks: 'follow' }), 'conflict', 'conflict_sync_loop');
    params['paths']?.should.equal('a/b/loop');
  });

  it('too many removals are a conflict, including files in folders', async () => {
    await fixture.writeDrive({ 'a.txt': 'a', 'd/b.txt': 'b', 'd/c.txt': 'c' });
    await fixture.writeDisk({ 'a.txt': 'a' });
    const request = { extra: 'trash', maxRemovals: 1 } as const;
    const { params } = await rejected(fixture.up(request), 'conflict', 'conflict_sync_removals');
    params.should.eql({ count: 2, limit: 1 });
    await rejected(fixture.up({ ...request, dryRun: true }), 'conflict', 'conflict_sync_removals');
  });

  it('an empty source removes nothing', async () => {
    await fixture.writeDrive({ 'a.txt': 'a' });
    await mkdir(fixture.path('empty'));
    await rejected(fixture.up({ extra: 'trash' }), 'conflict', 'conflict_sync_empty');
    (await fixture.up({ dryRun: true })).summary.removed.should.equal(0);
  });

  it('an empty source counts the empty folders that would be removed', async () => {
    await fixture.writeDrive({ 'a/': '', 'b/c/': '' });
    const error = await rejected(fixture.up({ extra: 'trash' }), 'conflict', 'conflict_sync_empty');
    error.params.should.eql({ count: 3 });
  });

  it('an empty folder on the drive removes nothing on disk', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    await rejected(fixture.down({ extra: 'delete' }), 'conflict', 'conflict_sync_empty');
    Object.keys(await fixture.readDisk()).should.eql(['a.txt']);
  });

  it('a list that may be incomplete stops the run', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    fixture.drive.faults.add({ kind: 'incompleteSearch', times: 10 });
    await rejected(fixture.up(), 'bad_response', 'bad_response_incomplete_sync');
  });

  it('a list that is complete when it is requested again is used', async () => {
    fixture.drive.faults.add({ kind: 'incompleteSearch', times: 2 });
    (await fixture.up()).changes.should.eql([]);
  });

  it('a path that is no folder is a local file error', async () => {
    await rm(fixture.path(), { recursive: true });
    await rejected(fixture.up(), 'local_file', 'local_file_missing');
    await writeFile(fixture.path(), '');
    await rejected(fixture.up(), 'local_file', 'local_file_sync_not_folder');
    await rejected(fixture.down(), 'local_file', 'local_file_sync_not_folder');
    fixture.requests().should.eql({});
  });

  it('the trash of a disk is invalid input', async () => {
    await rejected(fixture.down({ extra: 'trash' }), 'invalid_input', 'invalid_input_sync_trash');
    await rejected(fixture.up({ exclude: ['[z-a]'] }), 'invalid_input', 'invalid_input_pattern_range');
    fixture.requests().should.eql({});
  });

  it('a file in place of the folder on the drive is invalid input', async () => {
    const { a } = await fixture.writeDrive({ a: 'a' });
    await rejected(fixture.up({ folderId: a }), 'invalid_input', 'invalid_input_sync_not_folder');
    await rejected(fixture.down({ folderId: 'missing' }), 'not_found');
  });
});
