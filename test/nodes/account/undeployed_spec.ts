/** The editor's requests with an account that was just signed in and isn't deployed yet. */
import should from 'should';
import type {
  FilePage,
  NewFolderResponse,
  SearchTestResult,
} from '../../../nodes/shared/contract/dialog-api';
import { SIGNED_OUT, errorOf, useAdmin } from './admin-fixture';

const NEW = 'new-one';

describe('undeployed account', () => {
  const fixture = useAdmin();
  const get = (path: string) => fixture.admin.call('GET', `/${NEW}${path}`);
  const search = { folder: '', folderType: 'str', text: 'report', textType: 'str' };

  it('a new account lists files, shows paths, creates folders and tests a search before the first deploy', async () => {
    await fixture.load(SIGNED_OUT, {}, [{ id: 'search', type: 'cloud-drive-search-files' }]);
    await fixture.signIn(NEW);
    const { body } = await fixture.admin.call('POST', `/${NEW}/folders`, { name: 'Reports', parent: '' });
    const { folder } = body as unknown as NewFolderResponse;
    // The scope grants access only to files that clients of this project created.
    const { files } = (await get('/files')).body as unknown as FilePage;
    files.map(({ name }) => name).should.eql(['Reports']);
    should((await get(`/files/${folder.id}/path`)).body).eql({ path: '/Reports' });
    const settings = { ...search, kind: 'any' };
    const found = await fixture.admin.callNode('search-files', 'POST', `/${NEW}/test`, { settings });
    should(found.status).equal(200);
    (found.body as unknown as SearchTestResult).incomplete.should.equal(false);
    should((await get('/connection')).status).equal(200);
  });

  it('the expired access token of an undeployed account is refreshed each time', async () => {
    await fixture.load();
    await fixture.signIn(NEW);
    for (let attempt = 0; attempt < 2; attempt++) {
      fixture.drive.expireAccessTokens();
      should((await get('/files')).status).equal(200);
    }
  });

  it('a sign-in for changed URLs is used at once, although the deployed account is not signed in', async () => {
    await fixture.load();
    await fixture.signIn('account', { uploadUrl: `${fixture.drive.url}/upload-server` });
    should((await fixture.admin.call('GET', '/account/files')).status).equal(200);
  });

  it('requests of an undeployed account fail after a sign-out and mention Deploy', async () => {
    await fixture.load();
    await fixture.signIn(NEW);
    should((await fixture.admin.call('DELETE', `/${NEW}/sign-in`)).status).equal(204);
    const response = await get('/files');
    errorOf(response).should.eql([400, 'not_configured']);
    response.text.should.match(/Deploy/);
  });
});
