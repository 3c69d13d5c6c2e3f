import { CAPABILITIES } from '../../../src/capabilities';
/** File ids in URLs: RFC 3986 5.2.4. */
import { fileUrl } from '../../../src/drive/drive-context';
import { createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

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
