/** Uploads under a name that is taken: docs/nodes/upload.md, `ifExists`. */
import should from 'should';
import { numberedName } from '../../../../src/core/names';
import type { UploadRequest } from '../../../../src/index';
import { ODD_NAMES, PLAIN_UPLOAD, driveFixture } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';

describe('upload with ifExists', () => {
  const at = driveFixture({ nameMatch: 'word' });
  let folderId: string;

  beforeEach(async () => {
    folderId = await at.drive.files.addFolder('folder');
  });

  const upload = (ifExists: UploadRequest['ifExists'], data: string, more: Partial<UploadRequest> = {}) =>
    at.client.upload({ ...PLAIN_UPLOAD, content: { data }, folderId, ifExists, ...more });
  const names = () => at.drive.files.names(folderId);

  it('duplicate creates another file without a search', async () => {
    await upload('duplicate', 'a');
    const { created, skipped } = await upload('duplicate', 'b');
    [created, skipped].should.deepEqual([true, false]);
    names().should.deepEqual(['backup.tar', 'backup.tar']);
    at.drive.requests.to('GET', /\/files$/).should.be.empty();
  });

  it('replace updates the existing file, or creates it if there is none', async () => {
    const first = await upload('replace', 'old');
    const second = await upload('replace', 'new');
    [first.created, second.created].should.deepEqual([true, false]);
    should(second.file.id).equal(first.file.id);
    (await at.drive.files.contentOf(first.file.id)).toString().should.equal('new');
    names().should.deepEqual(['backup.tar']);
    const large = Buffer.alloc(6_000_000, 'x');
    await upload('replace', '', { content: { data: large } });
    (await at.drive.files.contentOf(first.file.id)).equals(large).should.be.true();
    names().should.deepEqual(['backup.tar']);
  });

  it('skip returns the existing file', async () => {
    const first = await upload('skip', 'old');
    const second = await upload('skip', 'new');
    second.should.deepEqual({ file: first.file, created: false, skipped: true });
    (await at.drive.files.contentOf(first.file.id)).toString().should.equal('old');
  });

  it('rename chooses the first free number, also if more are taken than one search covers', async () => {
    (await upload('rename', 'x')).file.name?.should.equal('backup.tar');
    (await upload('rename', 'x')).file.name?.should.equal('backup (1).tar');
    await at.drive.files.add({ name: 'backup (3).tar', parent: folderId });
    (await upload('rename', 'x')).file.name?.should.equal('backup (2).tar');
    (await upload('rename', 'x')).file.name?.should.equal('backup (4).tar');
    for (let n = 5; n <= 23; n++) await at.drive.files.add({ name: `backup (${n}).tar`, parent: folderId });
    (await upload('rename', 'x')).file.name?.should.equal('backup (24).tar');
  });

  for (const name of [`${'\u00e4'.repeat(100)}.txt`, '\u30d0'.repeat(80), `${'\u1eab'.repeat(80)}.tar`]) {
    it(`rename searches for no more long names at once than a URL may contain: ${name.slice(0, 3)}…`, async () => {
      for (let n = 0; n <= 21; n++)
        await at.drive.files.add({ name: numberedName(name, n), parent: folderId });
      at.drive.requests.clear();
      should((await upload('rename', 'x', { name })).file.name).equal(numberedName(name, 22));
      const lookUps = at.drive.requests.to('GET', /\/files$/).map(({ url }) => url.length);
      Math.max(...lookUps).should.be.below(6_000);
    });
  }

  it('rename searches only for the plain name if it is free', async () => {
    await upload('rename', 'x');
    const [lookUp, ...more] = at.drive.requests.to('GET', /\/files$/);
    more.should.be.empty();
    String(lookUp?.url).should.not.containEql('backup+(1)').and.not.containEql('backup+%281%29');
  });

  it('error fails with a conflict that lists the ids', async () => {
    const { file } = await upload('error', 'old');
    const error = await rejected(upload('error', 'new'), 'conflict', 'conflict_exists');
    should(error.params).deepEqual({ name: 'backup.tar', ids: file.id });
    names().length.should.equal(1);
  });

  it('replace and skip fail with a conflict if several files have the name', async () => {
    const ids = [await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' })];
    ids.push(await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' }));
    for (const ifExists of ['replace', 'skip'] as const) {
      const error = await rejected(upload(ifExists, 'new', { name: 'n' }), 'conflict', 'conflict_names');
      String(error.params['ids'])
        .split(', ')
        .sort()
        .should.deepEqual([...ids].sort());
    }
  });

  it('lists at most ten ids in a conflict, and the number of further ones', async () => {
    for (let n = 0; n < 13; n++) await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' });
    for (const ifExists of ['replace', 'error'] as const) {
      const { params } = await rejected(upload(ifExists, 'new', { name: 'n' }), 'conflict');
      const listed = String(params['ids']).split(', ');
      listed.length.should.equal(11);
      should(listed.at(-1)).equal('+3');
    }
  });

  it('ignores trashed files, folders, other parents and other names', async () => {
    const trashed = await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' });
    await at.client.trash(trashed);
    await at.drive.files.addFolder('n', folderId);
    await at.drive.files.add({ name: 'n', content: 'elsewhere' });
    await at.drive.files.add({ name: 'N', parent: folderId, content: 'x' });
    (await upload('error', 'new', { name: 'n' })).created.should.be.true();
  });

  it('treats composed and decomposed letters in a name as equal', async () => {
    await at.drive.files.add({ name: 'e\u0301te\u0301', parent: folderId, content: 'x' });
    await rejected(upload('error', 'new', { name: '\u00e9t\u00e9' }), 'conflict');
  });

  for (const name of ODD_NAMES) {
    it(`finds a file named ${JSON.stringify(name)}`, async () => {
      const { file } = await upload('skip', 'x', { name });
      should(file.name).equal(name);
      (await upload('skip', 'x', { name })).skipped.should.be.true();
    });
  }

  it('searches the root if no folder is given', async () => {
    const first = await upload('skip', 'x', { folderId: '', name: 'in the root' });
    should(first.file.parents).deepEqual([at.drive.files.rootId]);
    (await upload('skip', 'x', { folderId: '', name: 'in the root' })).skipped.should.be.true();
  });
});
