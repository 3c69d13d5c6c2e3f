/** A parent that is no folder: docs/errors.md, `invalid_input`. */
import { bytes } from '../../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('a file where a folder is needed', () => {
  const at = driveFixture();
  let folderId: string;

  before(async () => {
    folderId = await at.drive.files.add({ name: 'no folder', content: 'x' });
  });

  for (const [what, size] of [
    ['in one request', 3],
    ['in a session', 6_000_001],
  ] as const) {
    it(`takes no upload ${what}, and the error says what is wrong`, async () => {
      for (const ifExists of ['duplicate', 'replace'] as const) {
        const request = { ...PLAIN_UPLOAD, content: { data: bytes(size) }, folderId, ifExists };
        await rejected(at.client.upload(request), 'invalid_input', 'invalid_input_parent');
      }
      at.drive.files.in(folderId).should.be.empty();
    });
  }

  it('takes no folder', async () => {
    const folder = { name: 'in a file', folderId, fields: 'id' };
    await rejected(at.client.createFolder(folder), 'invalid_input', 'invalid_input_parent');
  });
});
