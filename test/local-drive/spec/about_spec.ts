/** The user and the storage. https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

describe('local drive: about', () => {
  const service = useDrive({ quota: 1000 });

  it('needs fields and answers with those', async () => {
    shouldBeError(await service.call('GET', '/drive/v3/about'), 400, 'required');
    const id = await service.drive.files.add({ name: 'a', content: 'x'.repeat(300) });
    await service.call('PATCH', `/drive/v3/files/${id}`, { json: { trashed: true } });
    const answer = (await service.call('GET', '/drive/v3/about?fields=storageQuota,user/emailAddress')).json;
    answer.storageQuota.should.deepEqual({
      limit: '1000',
      usage: '300',
      usageInDrive: '300',
      usageInDriveTrash: '300',
    });
    Object.keys(answer.user).should.deepEqual(['emailAddress']);
  });

  it('refuses content beyond the quota', async () => {
    const answer = await service.call('POST', '/upload/drive/v3/files?uploadType=media', {
      body: Buffer.alloc(1000),
    });
    shouldBeError(answer, 403, 'storageQuotaExceeded');
    const start = await service.call('POST', '/upload/drive/v3/files?uploadType=resumable', {
      headers: { 'X-Upload-Content-Length': '1001' },
    });
    shouldBeError(start, 403, 'storageQuotaExceeded');
  });
});
