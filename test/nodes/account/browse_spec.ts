/** The browse endpoints of the admin API, against the local drive. */
import should from 'should';
import type { DrivePage, FilePage, ListedFile } from '../../../nodes/shared/contract/dialog-api';
import { ACCESS_TOKEN, CREDENTIALS } from '../../support/node-red/account';
import { type AdminCalls, type AdminResponse, helperAdmin } from '../../support/node-red/account-admin';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { ODD_NAMES } from '../../support/client/drive-fixture';
import { ScriptedService } from '../../support/http/scripted-service';
import { errorOf } from './admin-fixture';

const names = (files: ListedFile[]): string[] => files.map(({ name }) => name);

describe('browse API', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  let admin: AdminCalls;
  let close = (): void => undefined;

  async function start(service: 'google' | 'custom', options: object = {}): Promise<void> {
    await load([{ id: 'about', type: 'cloud-drive-about' }], { url: drive().url, service, ...options });
    ({ admin, close } = await helperAdmin());
  }
  afterEach(() => close());

  const get = (path: string): Promise<AdminResponse> => admin.call('GET', `/account${path}`);
  async function page(query: Record<string, string>): Promise<FilePage> {
    const { status, body } = await get(`/files?${new URLSearchParams(query).toString()}`);
    should(status).equal(200);
    return body as unknown as FilePage;
  }
  async function listAll(query: Record<string, string>): Promise<{ files: ListedFile[]; pages: number }> {
    const files: ListedFile[] = [];
    let next: string | undefined = '';
    let pages = 0;
    for (; next !== undefined; pages++) {
      const { files: pageFiles, nextPage }: FilePage = await page({ ...query, page: next });
      pageFiles.length.should.be.belowOrEqual(200);
      files.push(...pageFiles);
      next = nextPage;
    }
    return { files, pages };
  }

  for (const service of ['google', 'custom'] as const) {
    describe(service, () => {
      it('the browse API lists folders first, then files, by name with size and date', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`sorted ${service}`);
        for (const name of ['b 10', 'a.txt', 'b 9'])
          await drive().files.add({ name, parent: folder, content: 'x' });
        await drive().files.addFolder('z', folder);
        const { files, nextPage } = await page({ folder });
        names(files).should.eql(['z', 'a.txt', 'b 9', 'b 10']);
        should(nextPage).equal(undefined);
        files[0]!.isFolder.should.equal(true);
        should(files[0]!.size).equal(undefined);
        files[1]!.should.containEql({ isFolder: false, size: 1 });
        Date.parse(files[1]!.modifiedTime!).should.be.above(0);
        Object.keys(files[1]!)
          .sort()
          .should.eql(['id', 'isFolder', 'mimeType', 'modifiedTime', 'name', 'size']);
      });

      it('the browse API pages through a folder without gaps and duplicates', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`many ${service}`);
        for (let index = 0; index < 450; index++)
          await drive().files.add({ name: `f ${index}`, parent: folder });
        const { files, pages } = await listAll({ folder });
        pages.should.equal(3);
        names(files).should.eql(Array.from({ length: 450 }, (_, index) => `f ${index}`));
      });

      it('the browse API searches the whole drive by a part of the name', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`deep ${service}`);
        await drive().files.add({ name: `needle ${service}.txt`, parent: folder, content: '' });
        names((await page({ text: `needle ${service}` })).files).should.eql([`needle ${service}.txt`]);
        (await page({ text: `needle ${service}`, kind: 'folders' })).files.should.eql([]);
        names((await page({ text: `deep ${service}`, kind: 'folders' })).files).should.eql([
          `deep ${service}`,
        ]);
      });

      it('the browse API lists the root, only folders on request, and no trashed files', async () => {
        await start(service);
        await drive().files.addFolder(`top ${service}`);
        await drive().files.add({ name: `file ${service}`, content: '' });
        const trashed = await drive().files.add({ name: `trashed ${service}`, content: '' });
        await fetch(`${drive().url}/drive/v3/files/${trashed}`, {
          method: 'PATCH',
          headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
          body: '{"trashed":true}',
        });
        const { files, rootId } = await page({ kind: 'folders' });
        rootId.should.equal('root');
        names(files).should.containEql(`top ${service}`);
        files.every(({ isFolder }) => isFolder).should.equal(true);
        names((await page({ folder: 'root' })).files).should.containEql(`file ${service}`);
      });

      it('the browse API returns the path of a file', async () => {
        await start(service);
        const folder = await drive().files.addFolder(`a/b ${service}`);
        const file = await drive().files.add({ name: 'x.txt', parent: folder, content: '' });
        const { body } = await get(`/files/${file}/path`);
        should(body).eql({ path: `/a/b ${service}/x.txt` });
        should((await get(`/files/root/path`)).body).eql({ path: '/' });
        should((await get('/files/a%2Fb/path')).text).containEql('neither a path nor an ID');
        const missing = await get('/files/no-such-file/path');
        // A custom service may not support requests for single files, so its 404 is not an error.
        if (service === 'google') errorOf(missing).should.eql([404, 'not_found']);
        else should(missing.body).eql({ path: '' });
      });

      it('the browse API creates a folder once', async () => {
        await start(service);
        const parent = await drive().files.addFolder(`here ${service}`);
        const create = () => admin.call('POST', '/account/folders', { name: ' New ', parent });
        const first = (await create()).body as { folder: ListedFile; created: boolean };
        first.should.containDeep({ folder: { name: 'New', isFolder: true }, created: true });
        should((await create()).body).containDeep({ folder: { id: first.folder.id }, created: false });
        drive().files.names(parent).should.eql(['New']);
      });
    });
  }

  it('the browse API lists only the shared drive of the account', async () => {
    const server = await ScriptedService.start();
    const account = { driveId: 'SHARED' };
    await load([{ id: 'about', type: 'cloud-drive-about' }], { url: server.url, service: 'google', account });
    ({ admin, close } = await helperAdmin());
    // This response also serves as the token response.
    server.onRequest(() => ({
      status: 200,
      body: { access_token: 'token', files: [{ id: '1', name: 'a' }] },
    }));
    const { rootId, files } = await page({});
    rootId.should.equal('SHARED');
    names(files).should.eql(['a']);
    await page({ text: 'a' });
    const queries = server.requests.filter(({ path }) => path.endsWith('/files')).map(({ query }) => query);
    queries.should.have.length(2);
    queries[0]!.get('q')!.should.containEql("'SHARED' in parents");
    for (const query of queries) {
      const parameters = ['corpora', 'driveId', 'supportsAllDrives', 'includeItemsFromAllDrives'];
      parameters.map((name) => query.get(name)).should.eql(['drive', 'SHARED', 'true', 'true']);
    }
    await server.close();
  });

  describe('with shared drives', () => {
    it('the root names the other places, and a list shows what others shared or what is starred', async () => {
      await start('google');
      const shared = { sharedBy: 'ana@example.org', sharedRole: 'writer' } as const;
      await drive().files.add({ name: 'from ana.txt', content: '', ...shared });
      const starred = await drive().files.add({ name: 'my star.txt', content: '' });
      await patch(starred, { starred: true });
      should((await page({})).places).eql(['sharedWithMe', 'starred', 'sharedDrives']);
      const sharedWithMe = await page({ list: 'sharedWithMe' });
      names(sharedWithMe.files).should.eql(['from ana.txt']);
      should(sharedWithMe).not.have.property('places');
      names((await page({ list: 'starred' })).files).should.eql(['my star.txt']);
      names((await page({ list: 'sharedWithMe', text: 'ana' })).files).should.eql(['from ana.txt']);
      (await page({ list: 'sharedWithMe', text: 'star' })).files.should.eql([]);
      (await page({ list: 'sharedWithMe', kind: 'folders' })).files.should.eql([]);
      await patch(starred, { starred: false });
    });

    it('shared drives are listed by name, found by a part of it, and searched one by one', async () => {
      await start('google');
      const [sales, plans] = [
        await drive().files.addSharedDrive('Sales'),
        await drive().files.addSharedDrive('Plans'),
      ];
      for (const parent of [sales, plans])
        await drive().files.add({ name: 'budget.txt', parent, content: '' });
      should((await get('/drives')).body).eql({
        drives: [
          { id: sales, name: 'Sales' },
          { id: plans, name: 'Plans' },
        ],
      });
      should((await get('/drives?text=%20lan')).body).eql({ drives: [{ id: plans, name: 'Plans' }] });
      should((await get(`/drives/${sales}`)).body).eql({ id: sales, name: 'Sales' });
      errorOf(await get('/drives/none')).should.eql([404, 'not_found']);
      names((await page({ folder: sales })).files).should.eql(['budget.txt']);
      names((await page({ drive: plans, text: 'budget' })).files).should.eql(['budget.txt']);
    });

    it('more than 100 shared drives come page by page', async () => {
      await start('google');
      for (let index = 0; index < 120; index++) await drive().files.addSharedDrive(`Class ${index}`);
      const { drives, nextPage } = (await get('/drives?text=Class')).body as unknown as DrivePage;
      drives.length.should.equal(100);
      const next = await get(`/drives?text=Class&page=${nextPage ?? ''}`);
      (next.body as unknown as DrivePage).drives.length.should.equal(20);
      should(next.body).not.have.property('nextPage');
    });

    it('the path of a file on another shared drive begins with the name of the drive', async () => {
      await start('google');
      const team = await drive().files.addSharedDrive('Team');
      const parent = await drive().files.addFolder('Reports', team);
      const file = await drive().files.add({ name: 'a.txt', parent, content: '' });
      should((await get(`/files/${file}/path`)).body).eql({ path: 'Team/Reports/a.txt' });
      should((await get(`/files/${team}/path`)).body).eql({ path: 'Team' });
      const unnamed = {
        kind: 'error',
        reason: 'insufficientPermissions',
        match: { path: /\/drives\// },
      } as const;
      drive().faults.add(unnamed);
      should((await get(`/files/${file}/path`)).body).eql({ path: '…/Reports/a.txt' });
    });

    it('an account with a shared drive shows its name, and no other drive', async () => {
      const driveId = await drive().files.addSharedDrive('Own');
      await start('google', { account: { driveId } });
      const root = await page({});
      should(root).containEql({ rootId: driveId, rootName: 'Own' });
      should(root.places).eql(['starred']);
      const file = await drive().files.add({ name: 'b.txt', parent: driveId, content: '' });
      should((await get(`/files/${file}/path`)).body).eql({ path: '/b.txt' });
    });

    it('narrower access names the one that listing shared drives requires', async () => {
      await start('google');
      drive().faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/drives$/ } });
      const refused = await get('/drives');
      errorOf(refused).should.eql([403, 'permission_denied']);
      refused.text.should.containEql('“Entire drive”');
    });

    it('a custom service has no other places and no shared drives', async () => {
      await start('custom');
      drive().requests.clear();
      should((await page({})).places).eql([]);
      should((await get('/drives')).body).eql({ drives: [] });
      errorOf(await get('/drives/x')).should.eql([404, 'not_found']);
      errorOf(await get('/files?list=starred')).should.eql([400, 'invalid_input']);
      drive()
        .requests.to('GET', /\/drives/)
        .should.eql([]);
    });

    const patch = (file: string, body: object) =>
      fetch(`${drive().url}/drive/v3/files/${file}`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
  });

  it('the browse API returns unusual names unchanged', async () => {
    await start('google');
    const folder = await drive().files.addFolder('odd');
    for (const name of ODD_NAMES) await drive().files.add({ name, parent: folder, content: '' });
    names((await page({ folder })).files)
      .sort()
      .should.eql([...ODD_NAMES].sort());
  });

  it('the browse API skips empty pages', async () => {
    await start('google');
    const folder = await drive().files.addFolder('short');
    await drive().files.add({ name: 'there', parent: folder, content: '' });
    drive().faults.add({ kind: 'shortPage', items: 0 });
    names((await page({ folder })).files).should.eql(['there']);
  });

  it('the browse API explains that an account is not deployed or not signed in', async () => {
    await start('custom', { credentials: { account: { ...CREDENTIALS, refreshToken: '' } } });
    errorOf(await get('/files')).should.eql([400, 'sign_in_required']);
    for (const id of ['new-one', 'about', '__proto__']) {
      const response = await admin.call('GET', `/${id}/files`);
      errorOf(response).should.eql([400, 'not_configured']);
      response.text.should.match(/Deploy/);
    }
    drive().requests.all.should.eql([]);
  });

  it('the browse API rejects invalid requests and requests of other sites', async () => {
    await start('custom');
    for (const query of [
      'page=x',
      'page=1',
      'kind=all',
      'folder=a/b',
      'folder=a&folder=b',
      'list=recent',
      'drive=a/b&text=x',
      `text=${'x'.repeat(5_000)}`,
    ]) {
      errorOf(await get(`/files?${query}`)).should.eql([400, 'invalid_input'], query);
    }
    for (const body of [{}, { name: ' ' }, { name: 'a/b' }, { name: 5 }, { name: 'a', parent: 'x/y' }, []]) {
      errorOf(await admin.call('POST', '/account/folders', body)).should.eql([400, 'invalid_input']);
    }
    const evil = { Origin: 'https://evil.example' };
    for (const [method, path, body] of [
      ['GET', '/account/files', undefined],
      ['GET', '/account/files/x/path', undefined],
      ['GET', '/account/drives', undefined],
      ['POST', '/account/folders', { name: 'a' }],
    ] as const) {
      errorOf(await admin.call(method, path, body, evil)).should.eql([403, 'permission_denied']);
    }
    const form = await admin.call('POST', '/account/folders', 'name=a', { 'Content-Type': 'text/plain' });
    should(form.status).equal(415);
    drive().requests.all.should.eql([]);
  });

  it('the browse API returns a JSON error for malformed percent-encoding', async () => {
    await start('custom');
    for (const [method, path] of [
      ['GET', '/%E0%A4%A/files'],
      ['GET', '/account/files/%E0%A4%A/path'],
      ['POST', '/%ff/folders'],
      ['GET', '/%E0%A4%A/connection'],
      ['GET', '/sign-in/%E0%A4%A'],
      ['DELETE', '/%/sign-in'],
    ] as const) {
      const response = await admin.call(method, path, method === 'POST' ? {} : undefined);
      errorOf(response).should.eql([400, 'invalid_input'], path);
      response.text.should.not.match(/node_modules|URIError|<html/);
    }
  });

  it('the browse API retries for a shorter time than a flow', async () => {
    await start('custom', { account: { retryFor: 300 } });
    drive().faults.add({
      kind: 'error',
      reason: 'rateLimitExceeded',
      retryAfter: 60,
      match: { path: /\/files$/ },
    });
    errorOf(await get('/files')).should.eql([429, 'rate_limited']);
  });

  it('the browse API sends no more requests after the client has disconnected', async () => {
    const server = await ScriptedService.start();
    await start('custom', { account: { baseUrl: server.url } });
    const editor = new AbortController();
    const isClosed = new Promise<void>((resolve) =>
      server.onRequest((_seen, { response }) => {
        response.once('close', resolve);
        editor.abort();
        return 'handled';
      }),
    );
    await admin.call('GET', '/account/files', undefined, {}, editor.signal).should.be.rejected();
    await isClosed;
    await server.close();
  });

  it('the browse API returns no secret', async () => {
    await start('custom');
    await page({});
    admin.responses.join().should.not.match(/canary/);
  });
});
