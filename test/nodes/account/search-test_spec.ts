/** The test button of search-files: the admin endpoint over HTTP, against the local drive. */
import should from 'should';
import type { SearchTestResult } from '../../../nodes/shared/contract/browse-api';
import { ACCESS_TOKEN, CREDENTIALS } from '../../support/node-red/account';
import { type AdminAnswer, type AdminCalls, helperAdmin } from '../../support/node-red/account-admin';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { errorOf } from './admin-fixture';

describe('test search of the search-files dialog', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  let admin: AdminCalls;
  let close = (): void => undefined;

  async function running(service: 'google' | 'custom', options: object = {}): Promise<void> {
    await load([{ id: 'about', type: 'cloud-drive-about' }], { url: drive().url, service, ...options });
    ({ admin, close } = await helperAdmin());
  }
  afterEach(() => close());

  const find = (settings: object, examples: object = {}): Promise<AdminAnswer> =>
    admin.call('POST', '/account/find', { settings, examples });
  async function found(settings: object, examples: object = {}): Promise<SearchTestResult> {
    const { status, body } = await find(settings, examples);
    should(status).equal(200, JSON.stringify(body));
    return body as unknown as SearchTestResult;
  }
  const names = ({ files }: SearchTestResult): string[] => files.map(({ name }) => name);
  const at = (folder: string): object => ({ folder, folderType: 'drive' });
  const typed = (text: string): object => ({ text, textType: 'str' });

  for (const service of ['google', 'custom'] as const) {
    describe(service, () => {
      it('a test search returns the first ten files', async () => {
        await running(service);
        const folder = await drive().files.addFolder(`sample ${service}`);
        for (let index = 0; index < 12; index++)
          await drive().files.add({ name: `hit ${index}`, parent: folder, content: '' });
        const all = await found({ ...at(folder), ...typed('hit') });
        all.files.should.have.length(10);
        all.should.containEql({ more: true, incomplete: false });
        const one = await found({ ...at(folder), ...typed('hit 11') });
        one.should.containDeep({ files: [{ name: 'hit 11', isFolder: false }], more: false });
        (await found({ ...at(folder), ...typed(''), limit: '3' })).should.containEql({ more: true });
        names(await found({ ...at(folder), ...typed('hit'), kind: 'folders' })).should.eql([]);
      });

      it('a test search uses all properties of the dialog', async () => {
        await running(service);
        const folder = await drive().files.addFolder(`set ${service}`);
        const deep = await drive().files.addFolder('deep', folder);
        const add = (name: string, parent: string, content: string, mimeType: string) =>
          drive().files.add({ name, parent, content, mimeType });
        await add('backup-2042.tar', folder, 'xx', 'application/x-tar');
        await add('backup-2043.tar', deep, 'xxx', 'application/x-tar');
        await add('Backup-2044.png', deep, 'x', 'image/png');
        const set = (more: object) => found({ ...at(folder), ...typed(''), ...more }).then(names);
        (await set({ ...typed('204'), match: 'anywhere' })).should.eql(['backup-2042.tar']);
        const recursive = { recursive: true, sort: 'largest' };
        const all = ['backup-2043.tar', 'backup-2042.tar', 'Backup-2044.png'];
        (await set({ ...typed('*-20??.*'), match: 'glob', ...recursive })).should.eql(all);
        (await set({ ...typed('^backup'), match: 'regex', caseSensitive: true, ...recursive })).should.eql(
          all.slice(0, 2),
        );
        (await set({ ...recursive, mimeType: 'image/*' })).should.eql(['Backup-2044.png']);
        (await set({ ...recursive, minSize: '2', maxSize: '2' })).should.eql(['backup-2042.tar']);
        (await set({ ...recursive, maxDepth: '1' })).should.eql(['backup-2042.tar']);
        (await set({ ...recursive, modifiedBefore: '1 day' })).should.eql([]);
        (await set({ ...recursive, limit: '1' })).should.eql(['backup-2043.tar']);
        (await set({ folder: `/set ${service}/deep`, folderType: 'str', ...recursive })).should.eql([
          'backup-2043.tar',
          'Backup-2044.png',
        ]);
      });

      it('a test search uses example values for message properties', async () => {
        await running(service);
        const folder = await drive().files.addFolder(`example ${service}`);
        await drive().files.add({ name: 'one', parent: folder, content: '' });
        await drive().files.add({ name: 'two', parent: folder, content: '' });
        // As a new node has them: both come with the message.
        names(await found({}, { folder, text: 'two' })).should.eql(['two']);
        for (const textType of ['flow', 'env', 'jsonata'])
          names(await found({ ...at(folder), text: 'PATH', textType }, { text: 'one' })).should.eql(['one']);
        names(await found({ ...at(folder), ...typed('${PATH}') }, { text: 'one' })).should.eql(['one']);
      });
    });
  }

  it('a test search rejects invalid properties without sending a request', async () => {
    await running('google');
    for (const [settings, said] of [
      [{}, /the whole drive/],
      [{ ...at('x'), ...typed('('), match: 'regex' }, /pattern can't be used/],
      [{ ...typed('x'), folder: 'a/b', folderType: 'str' }, /./],
      [{ ...at('x'), ...typed('x'), modifiedAfter: 'yesterday' }, /modifiedAfter is no time/],
      [{ ...at('x'), ...typed('x'), minSize: 'big' }, /minSize/],
      [{ ...at('x'), ...typed('x'), match: 'soundex' }, /match/],
      [{ ...at('x'), ...typed('x'), kind: 'x' }, /kind/],
      [{ ...at('x'), ...typed('x'), fields: 'a)' }, /./],
      [{ ...at('x'), text: {} }, /text/],
      [{ ...at('x'), text: 'x'.repeat(5_000) }, /text/],
    ] as const) {
      const response = await find(settings);
      errorOf(response).should.eql([400, 'invalid_input'], JSON.stringify(settings));
      response.text.should.match(said);
    }
    for (const body of [[], {}, { settings: [] }, { settings: {}, examples: { text: 5 } }])
      errorOf(await admin.call('POST', '/account/find', body)).should.eql([400, 'invalid_input']);
    drive().requests.all.should.eql([]);
  });

  it('a test search explains that the account is not deployed or not signed in', async () => {
    await running('custom', { credentials: { account: { ...CREDENTIALS, refreshToken: '' } } });
    errorOf(await find({ ...at('x'), ...typed('x') })).should.eql([400, 'sign_in_required']);
    const response = await admin.call('POST', '/new-one/find', { settings: {} });
    errorOf(response).should.eql([400, 'not_configured']);
    response.text.should.match(/Deploy/);
  });

  it('a test search reports an error of the service', async () => {
    await running('google');
    drive().faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/files$/ } });
    errorOf(await find({ ...at('x'), ...typed('x') })).should.eql([403, 'permission_denied']);
    errorOf(await find({ folder: '/no such', folderType: 'str', ...typed('') })).should.eql([
      404,
      'not_found',
    ]);
  });

  it('a test search returns no value of the environment', async () => {
    await running('google');
    process.env['SEARCH_TEST_CANARY'] = 'canary';
    for (const [text, textType] of [
      ['SEARCH_TEST_CANARY', 'env'],
      ['$env("SEARCH_TEST_CANARY")', 'jsonata'],
      ['${SEARCH_TEST_CANARY}', 'str'],
    ])
      await find({ ...at('root'), text, textType });
    delete process.env['SEARCH_TEST_CANARY'];
    JSON.stringify(drive().requests.all).should.not.match(/canary/);
    admin.answers.join().should.not.match(/canary/);
  });
});
