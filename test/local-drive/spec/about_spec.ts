/** The user and their storage. https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

describe('local drive: about.get', () => {
  const service = useDrive({ quota: 1000 });

  it('about.get requires fields and returns those', async () => {
    shouldBeError(await service.call('GET', '/drive/v3/about'), 400, 'required');
    const id = await service.drive.files.add({ name: 'a', content: 'x'.repeat(300) });
    await service.call('PATCH', `/drive/v3/files/${id}`, { json: { trashed: true } });
    const response = (await service.call('GET', '/drive/v3/about?fields=storageQuota,user/emailAddress'))
      .json;
    response.storageQuota.should.deepEqual({
      limit: '1000',
      usage: '300',
      usageInDrive: '300',
      usageInDriveTrash: '300',
    });
    Object.keys(response.user).should.deepEqual(['emailAddress']);
  });

  it('uploads beyond the storage limit fail with storageQuotaExceeded', async () => {
    const response = await service.call('POST', '/upload/drive/v3/files?uploadType=media', {
      body: Buffer.alloc(1000),
    });
    shouldBeError(response, 403, 'storageQuotaExceeded');
    const start = await service.call('POST', '/upload/drive/v3/files?uploadType=resumable', {
      headers: { 'X-Upload-Content-Length': '1001' },
    });
    shouldBeError(start, 403, 'storageQuotaExceeded');
  });
});
