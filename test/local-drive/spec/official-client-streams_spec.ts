/** Google's own client reads what an upload of unknown length has created. */
import { createHash } from 'node:crypto';
import type { drive_v3 } from '@googleapis/drive';
import 'should';
import { driveFixture } from '../../support/client/drive-fixture';
import { inReusedMemory, uploadStreamTo } from '../../support/client/stream-fixture';
import { bytes } from '../../support/content';
import { type CallSettings, officialClient } from './official-client';
import { TOKEN } from '../../support/client/test-client';

describe("local drive: Google's client and uploads of unknown length", () => {
  const fixture = driveFixture();
  let client: drive_v3.Drive;
  let here: CallSettings;

  before(() => ({ client, here } = officialClient(fixture.drive.url, TOKEN)));

  it("Google's client finds and downloads a file of several parts, one of which was sent twice", async () => {
    const content = bytes(8 * 1024 * 1024 + 300_000);
    fixture.drive.faults.add({ kind: 'lostResponse', match: { method: 'PUT' } });
    const { id: fileId } = await uploadStreamTo(fixture, { content: inReusedMemory(content) });
    const q = "name = 'archive.tar' and trashed = false";
    const { data } = await client.files.list({ q, fields: 'files(id,size,md5Checksum)' }, here);
    const md5Checksum = createHash('md5').update(content).digest('hex');
    (data.files ?? []).should.deepEqual([{ id: fileId, size: String(content.length), md5Checksum }]);
    const downloaded = await client.files.get(
      { fileId, alt: 'media' },
      { ...here, responseType: 'arraybuffer' },
    );
    Buffer.from(downloaded.data as unknown as ArrayBuffer)
      .equals(content)
      .should.be.true();
  });
});
