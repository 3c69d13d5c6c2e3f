import { CAPABILITIES } from '../../../src/capabilities';
import { fileUrl, isOutside, markOutside } from '../../../src/drive/drive-context';
import { createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';
import should from 'should';
import { createDriveContext } from '../../support/client/drive-context';
import { bytes } from '../../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';

describe('fileUrl', () => {
  const accountService = {
    can: CAPABILITIES.google,
    baseUrl: 'https://example.com',
    uploadUrl: 'https://example.com',
    folderMimeType: '',
    driveId: '',
  };

  it('fileUrl encodes the id as one path segment', () => {
    fileUrl(accountService, 'a b?c').should.equal('https://example.com/drive/v3/files/a%20b%3Fc');
  });

  for (const id of ['..', '.', '', '../about', 'a/b']) {
    it(`DriveClient sends no request for the id "${id}"`, async () => {
      const server = await ScriptedService.start();
      const fixture = createTestClient(server.url);
      const { client } = fixture;
      try {
        const text = 'invalid_input_id';
        await rejected(client.getMetadata(id, 'id', {}), 'invalid_input', text);
        await rejected(client.delete(id), 'invalid_input', text);
        await rejected(client.trash(id), 'invalid_input', text);
        server.requests.should.be.empty();
      } finally {
        fixture.close();
        await server.close();
      }
    });
  }
});

const context = (driveId: string) => createDriveContext('http://127.0.0.1', { driveId });

describe('folders outside the shared drive', () => {
  it('a folder counts as outside the shared drive once it is marked, for its own account only', () => {
    const [account, other, myDrive] = [context('D'), context('D'), context('')];
    for (const each of [account, myDrive]) markOutside(each, 'marked');
    [account, other, myDrive].map((each) => isOutside(each, 'marked')).should.eql([true, false, false]);
    should(isOutside(account, 'inside')).be.false();
  });

  it('a folder outside the shared drive never looks like one inside, however many there are', () => {
    const account = context('D');
    for (let index = 0; index < 100_001; index++) markOutside(account, `folder ${index}`);
    for (const index of [0, 50_000, 100_000]) isOutside(account, `folder ${index}`).should.be.true();
  });
});

describe('a file given as parent folder', () => {
  const fixture = driveFixture();
  let folderId: string;

  before(async () => {
    folderId = await fixture.drive.files.add({ name: 'no folder', content: 'x' });
  });

  for (const [kind, size] of [
    ['multipart', 3],
    ['resumable', 6_000_001],
  ] as const) {
    it(`a ${kind} upload into a file fails with invalid_input`, async () => {
      for (const ifExists of ['duplicate', 'replace'] as const) {
        const request = { ...PLAIN_UPLOAD, content: { data: bytes(size) }, folderId, ifExists };
        await rejected(fixture.client.upload(request), 'invalid_input', 'invalid_input_sync_not_folder');
      }
      fixture.drive.files.in(folderId).should.be.empty();
    });
  }

  it('createFolder in a file fails with invalid_input', async () => {
    const folder = { name: 'in a file', folderId, fields: 'id' };
    await rejected(fixture.client.createFolder(folder), 'invalid_input', 'invalid_input_sync_not_folder');
  });
});
