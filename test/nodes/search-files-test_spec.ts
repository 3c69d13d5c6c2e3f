/** The admin endpoint of the search-files test button, against the local drive. */
import should from 'should';
import type { SearchTestResult } from '../../nodes/shared/contract/dialog-api';
import { ACCESS_TOKEN, CREDENTIALS } from '../support/node-red/account';
import { type AdminCalls, type AdminResponse, helperAdmin } from '../support/node-red/account-admin';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { errorOf } from './account/admin-fixture';

describe('search test', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  let admin: AdminCalls;
  let close = (): void => undefined;

  async function start(service: 'google' | 'custom', options: object = {}): Promise<void> {
    await load([{ id: 'search', type: 'cloud-drive-search-files' }], {
      url: drive().url,
      service,
      ...options,
    });
    ({ admin, close } = await helperAdmin());
  }
  afterEach(() => close());

  const find = (settings: object, examples: object = {}): Promise<AdminResponse> =>
    admin.callNode('search-files', 'POST', '/account/test', { settings, examples });
  async function found(settings: object, examples: object = {}): Promise<SearchTestResult> {
    const { status, body } = await find(settings, examples);
    should(status).equal(200, JSON.stringify(body));
    return body as unknown as SearchTestResult;
  }
  const names = ({ files }: SearchTestResult): string[] => files.map(({ name }) => name);
  const inFolder = (folder: string): object => ({ folder, folderType: 'drive' });
  const typed = (text: string): object => ({ text, textType: 'str' });

  it('a test search follows a shortcut to a folder, given by ID, URL or path', async () => {
    await start('google');
    const folder = await drive().files.addFolder('target of a shortcut');
    await drive().files.add({ name: 'in target', parent: folder, content: '' });
    const mimeType = 'application/vnd.google-apps.shortcut';
    const id = await drive().files.add({ name: 'shortcut', mimeType, shortcutTarget: folder });
    for (const value of [id, `https://drive.google.com/drive/folders/${id}`, '/shortcut']) {
      const settings = { folder: value, folderType: 'str', ...typed('') };
      names(await found(settings)).should.eql(['in target']);
      names(await found({ ...settings, recursive: true, sort: 'newest' })).should.eql(['in target']);
    }
  });

  for (const service of ['google', 'custom'] as const) {
    describe(service, () => {
      it('a test search returns the first ten files', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`sample ${service}`);
        for (let index = 0; index < 12; index++)
          await drive().files.add({ name: `hit ${index}`, parent: folder, content: '' });
        const all = await found({ ...inFolder(folder), ...typed('hit') });
        all.files.should.have.length(10);
        all.should.containEql({ more: true, incomplete: false });
        const one = await found({ ...inFolder(folder), ...typed('hit 11') });
        one.should.containDeep({ files: [{ name: 'hit 11', isFolder: false }], more: false });
        (await found({ ...inFolder(folder), ...typed(''), limit: '3' })).should.containEql({ more: true });
        names(await found({ ...inFolder(folder), ...typed('hit'), kind: 'folders' })).should.eql([]);
      });

      it('a test search uses all properties of the dialog', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`set ${service}`);
        const deep = await drive().files.addFolder('deep', folder);
        const add = (name: string, parent: string, content: string, mimeType: string) =>
          drive().files.add({ name, parent, content, mimeType });
        await add('backup-2042.tar', folder, 'xx', 'application/x-tar');
        await add('backup-2043.tar', deep, 'xxx', 'application/x-tar');
        await add('Backup-2044.png', deep, 'x', 'image/png');
        const set = (more: object) => found({ ...inFolder(folder), ...typed(''), ...more }).then(names);
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
        await start(service);
        const folder = await drive().files.addFolder(`example ${service}`);
        await drive().files.add({ name: 'one', parent: folder, content: '' });
        await drive().files.add({ name: 'two', parent: folder, content: '' });
        // In a new node, both values come from the message.
        names(await found({}, { folder, text: 'two' })).should.eql(['two']);
        for (const textType of ['flow', 'env', 'jsonata'])
          names(await found({ ...inFolder(folder), text: 'PATH', textType }, { text: 'one' })).should.eql([
            'one',
          ]);
        names(await found({ ...inFolder(folder), ...typed('${PATH}') }, { text: 'one' })).should.eql(['one']);
      });
    });
  }

  it('a test search rejects invalid properties without sending a request', async () => {
    await start('google');
    for (const [settings, expectedText] of [
      [{}, /list the entire drive/],
      [{ ...inFolder('x'), ...typed('('), match: 'regex' }, /regular expression \( in text isn't valid/],
      [{ ...typed('x'), folder: 'a/b', folderType: 'str' }, /./],
      [
        { ...inFolder('x'), ...typed('x'), modifiedAfter: 'yesterday' },
        /modifiedAfter must be a time, but got 'yesterday'/,
      ],
      [{ ...inFolder('x'), ...typed('x'), minSize: 'big' }, /minSize/],
      [{ ...inFolder('x'), ...typed('x'), match: 'soundex' }, /match/],
      [{ ...inFolder('x'), ...typed('x'), kind: 'x' }, /kind/],
      [{ ...inFolder('x'), ...typed('x'), fields: 'a)' }, /./],
      [{ ...inFolder('x'), text: {} }, /text/],
      [{ ...inFolder('x'), text: 'x'.repeat(5_000) }, /text/],
    ] as const) {
      const response = await find(settings);
      errorOf(response).should.eql([400, 'invalid_input'], JSON.stringify(settings));
      response.text.should.match(expectedText);
    }
    for (const body of [[], {}, { settings: [] }, { settings: {}, examples: { text: 5 } }])
      errorOf(await admin.callNode('search-files', 'POST', '/account/test', body)).should.eql([
        400,
        'invalid_input',
      ]);
    drive().requests.all.should.eql([]);
  });

  it('a test search explains that the account is not deployed or not signed in', async () => {
    await start('custom', { credentials: { account: { ...CREDENTIALS, refreshToken: '' } } });
    errorOf(await find({ ...inFolder('x'), ...typed('x') })).should.eql([400, 'sign_in_required']);
    const response = await admin.callNode('search-files', 'POST', '/new-one/test', { settings: {} });
    errorOf(response).should.eql([400, 'not_configured']);
    response.text.should.match(/Deploy/);
  });

  it('a test search reports an error of the service', async () => {
    await start('google');
    drive().faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/files$/ } });
    errorOf(await find({ ...inFolder('x'), ...typed('x') })).should.eql([403, 'permission_denied']);
    errorOf(await find({ folder: '/no such', folderType: 'str', ...typed('') })).should.eql([
      404,
      'not_found',
    ]);
  });

  it('a test search returns no value of the environment', async () => {
    await start('google');
    process.env['SEARCH_TEST_CANARY'] = 'canary';
    for (const [text, textType] of [
      ['SEARCH_TEST_CANARY', 'env'],
      ['$env("SEARCH_TEST_CANARY")', 'jsonata'],
      ['${SEARCH_TEST_CANARY}', 'str'],
    ])
      await find({ ...inFolder('root'), text, textType });
    delete process.env['SEARCH_TEST_CANARY'];
    JSON.stringify(drive().requests.all).should.not.match(/canary/);
    admin.responses.join().should.not.match(/canary/);
  });
});
