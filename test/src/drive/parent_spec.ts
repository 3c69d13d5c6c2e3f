/** A parent that isn’t a folder: docs/errors.md, `invalid_input`. */
import { bytes } from '../../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

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
