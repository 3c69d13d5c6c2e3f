/**
 * A list that says of itself that it may lack files.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import should from 'should';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('a name that is looked for in a list that may lack files', () => {
  const at = driveFixture();
  let folderId: string;
  let id: string;

  beforeEach(async () => {
    folderId = await at.drive.files.addFolder('place');
    id = await at.drive.files.add({ name: 'a.txt', parent: folderId, content: 'old' });
    at.drive.requests.clear();
  });

  const lacking = (times: number): void =>
    void at.drive.faults.add({
      kind: 'response',
      body: { files: [], incompleteSearch: true },
      match: { method: 'GET', path: /\/files$/ },
      times,
    });
  const lists = () => at.drive.requests.to('GET', /\/files$/).length;
  const upload = (ifExists: 'replace' | 'skip' | 'rename' | 'error') =>
    at.client.upload({ ...PLAIN_UPLOAD, name: 'a.txt', content: { data: 'new' }, folderId, ifExists });
  const names = () => at.drive.files.in(folderId).map(({ name }) => name);

  it('is looked for again, and found when the list is whole', async () => {
    lacking(2);
    const { file, created } = await upload('replace');
    [file.id, created].should.eql([id, false]);
    names().should.eql(['a.txt']);
    lists().should.equal(3);
  });

  for (const ifExists of ['replace', 'skip', 'rename', 'error'] as const) {
    it(`makes no second file with ${ifExists}: it ends the upload`, async () => {
      lacking(10);
      const { params } = await rejected(upload(ifExists), 'bad_response', 'bad_response_incomplete_names');
      should(params['name']).equal('a.txt');
      names().should.eql(['a.txt']);
      at.drive.requests.to('', /upload/).should.be.empty();
    });
  }

  it('makes no second folder, and is not taken for missing at a path', async () => {
    const { client } = at;
    const text = 'bad_response_incomplete_names';
    lacking(20);
    await rejected(client.createFolder({ name: 'inner', folderId, fields: 'id' }), 'bad_response', text);
    for (const createMissing of [true, false])
      await rejected(client.paths.resolveFolder({ path: '/place', createMissing }, {}), 'bad_response', text);
    await rejected(client.paths.resolveFile('/place', {}), 'bad_response', text);
    at.drive.requests.to('POST').should.be.empty();
  });

  it('is not taken for the only one where another may be hidden', async () => {
    at.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 10 });
    await rejected(upload('replace'), 'bad_response', 'bad_response_incomplete_names');
    (await at.drive.files.contentOf(id)).toString().should.equal('old');
  });
});
