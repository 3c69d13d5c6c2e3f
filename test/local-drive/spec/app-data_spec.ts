/** The hidden app data folder. https://developers.google.com/workspace/drive/api/guides/appdata */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

describe('local drive: the app data folder', () => {
  const whole = useDrive();
  const hidden = useDrive({ scope: 'https://www.googleapis.com/auth/drive.appdata' });

  it('the app data folder is not accessible with a drive scope', async () => {
    const query = { spaces: 'appDataFolder' };
    shouldBeError(await whole.call('GET', '/drive/v3/files', { query }), 403, 'insufficientScopes');
    shouldBeError(await whole.call('GET', '/drive/v3/files/appDataFolder'), 404, 'notFound');
  });

  it('the scope drive.appdata gives access to the app data folder only', async () => {
    const id = await hidden.drive.files.add({ name: 'settings', parent: 'appDataFolder', content: 'x' });
    const outside = await hidden.drive.files.add({ name: 'outside', content: 'x' });
    shouldBeError(await hidden.call('GET', '/drive/v3/files'), 403, 'insufficientScopes');
    shouldBeError(await hidden.call('GET', `/drive/v3/files/${outside}`), 404, 'notFound');
    const query = { spaces: 'appDataFolder', q: "'appDataFolder' in parents" };
    const { json } = await hidden.call('GET', '/drive/v3/files', { query });
    json.files.map(({ name }) => name).should.eql(['settings']);
    const trashed = await hidden.call('PATCH', `/drive/v3/files/${id}`, { json: { trashed: true } });
    shouldBeError(trashed, 403, 'notSupportedForAppDataFolderFiles');
    const moved = await hidden.call('PATCH', `/drive/v3/files/${id}`, {
      query: { addParents: 'root' },
      json: {},
    });
    shouldBeError(moved, 403, 'notSupportedForAppDataFolderFiles');
    (await hidden.call('DELETE', '/drive/v3/files/appDataFolder')).status.should.equal(403);
    (await hidden.call('DELETE', `/drive/v3/files/${id}`)).status.should.equal(204);
  });
});
