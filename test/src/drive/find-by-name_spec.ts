/**
 * Lists that the service reports as possibly incomplete.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import should from 'should';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('findByName with an incomplete list', () => {
  const fixture = driveFixture();
  let folderId: string;
  let id: string;

  beforeEach(async () => {
    folderId = await fixture.drive.files.addFolder('parent');
    id = await fixture.drive.files.add({ name: 'a.txt', parent: folderId, content: 'old' });
    fixture.drive.requests.clear();
  });

  const returnIncompleteLists = (times: number): void =>
    void fixture.drive.faults.add({
      kind: 'response',
      body: { files: [], incompleteSearch: true },
      match: { method: 'GET', path: /\/files$/ },
      times,
    });
  const lists = () => fixture.drive.requests.to('GET', /\/files$/).length;
  const upload = (ifExists: 'replace' | 'skip' | 'rename' | 'error') =>
    fixture.client.upload({ ...PLAIN_UPLOAD, name: 'a.txt', content: { data: 'new' }, folderId, ifExists });
  const names = () => fixture.drive.files.names(folderId);

  it('findByName repeats the request until the list is complete', async () => {
    returnIncompleteLists(2);
    const { file, created } = await upload('replace');
    [file.id, created].should.eql([id, false]);
    names().should.eql(['a.txt']);
    lists().should.equal(3);
  });

  for (const ifExists of ['replace', 'skip', 'rename', 'error'] as const) {
    it(`upload with ${ifExists} fails without creating a second file if the list stays incomplete`, async () => {
      returnIncompleteLists(10);
      const { params } = await rejected(upload(ifExists), 'bad_response', 'bad_response_incomplete_names');
      should(params['name']).equal('a.txt');
      names().should.eql(['a.txt']);
      fixture.drive.requests.to('', /upload/).should.be.empty();
    });
  }

  it('createFolder and path lookups fail if the list stays incomplete', async () => {
    const { client } = fixture;
    const text = 'bad_response_incomplete_names';
    returnIncompleteLists(20);
    await rejected(client.createFolder({ name: 'inner', folderId, fields: 'id' }), 'bad_response', text);
    for (const createMissing of [true, false])
      await rejected(
        client.paths.resolveFolder({ path: '/parent', createMissing }, {}),
        'bad_response',
        text,
      );
    await rejected(client.paths.resolveFile('/parent', {}), 'bad_response', text);
    fixture.drive.requests.to('POST').should.be.empty();
  });

  it('upload replaces no file if the list may hide another of the same name', async () => {
    fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 10 });
    await rejected(upload('replace'), 'bad_response', 'bad_response_incomplete_names');
    (await fixture.drive.files.contentOf(id)).toString().should.equal('old');
  });
});
