/** Lists of files: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import { readdir, writeFile } from 'node:fs/promises';
import should from 'should';
import { RecentFiles, listPages, listComplete, readComplete } from '../../../src/drive/list';
import { CAPABILITIES } from '../../../src/capabilities';
import { BackupFixture, NO_RULES } from '../../support/archive/backup-fixture';
import { createTestClient, type TestClient } from '../../support/client/test-client';
import { PLAIN_UPLOAD, collectFiles, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { useScriptedService, type ScriptedResponse } from '../../support/http/scripted-service';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';
import 'should';
import type { CallOptions, DriveFile } from '../../../src/types';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { type DriveContext, createDriveContext } from '../../../src/drive/drive-context';
import { listDrive } from '../../../src/sync/list-drive';
import { createTestEngine } from '../../support/client/test-engine';

const SEARCH = { text: '', kind: 'any', includeTrashed: false, fields: 'id' } as const;

describe('listPages', () => {
  describe('listPages with the local drive', () => {
    const fixture = driveFixture();

    it('a list of 2,500 folders is complete with any fields', async () => {
      const folderId = await fixture.drive.files.addFolder('many');
      for (let index = 0; index < 2_500; index++) await fixture.drive.files.addFolder(`f${index}`, folderId);
      for (const fields of ['id', 'name', 'id,name,owners(displayName)', '*']) {
        const found = await collectFiles(
          fixture.client.search({ ...SEARCH, folderId, kind: 'folders', fields }),
        );
        found.length.should.equal(2_500);
      }
      fixture.drive.requests.to('GET', /\/files$/).length.should.equal(12);
    });

    it('a search with 1,200 matches is complete through short and empty pages', async () => {
      const folderId = await fixture.drive.files.addFolder('hits');
      for (let index = 0; index < 1_200; index++) {
        await fixture.drive.files.add({ name: `hit ${index}`, parent: folderId, content: '' });
        if (index % 4 === 0)
          await fixture.drive.files.add({ name: `miss ${index}`, parent: folderId, content: '' });
      }
      fixture.drive.faults.add({ kind: 'shortPage', items: 0 });
      fixture.drive.faults.add({ kind: 'shortPage', items: 7, match: { nth: 2 } });
      const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, text: 'hit' }));
      new Set(found.map(({ id }) => id)).size.should.equal(1_200);
    });

    it('a recursive search lists a file once that is in two folders', async () => {
      const folderId = await fixture.drive.files.addFolder('top');
      let both: Record<string, unknown>[] | undefined;
      await fixture.drive.files.add({ name: 'in both', parent: folderId });
      await fixture.drive.files.addFolder('sub', folderId);
      const edit = (files: Record<string, unknown>[]): typeof files => {
        both ??= files.filter(({ name }) => name === 'in both');
        return [...new Set([...both, ...files])];
      };
      fixture.drive.faults.add({ kind: 'editPage', edit, match: { path: /files$/ }, times: Infinity });
      const search = { ...SEARCH, folderId, recursive: true, fields: 'name' };
      const found = await collectFiles(fixture.client.search(search));
      found.should.eql([{ name: 'in both' }, { name: 'sub' }]);
      fixture.drive.requests.to('GET', /\/files$/).length.should.equal(2);
    });

    it('a list reports that files may be missing', async () => {
      fixture.drive.faults.add({ kind: 'incompleteSearch' });
      const first = await fixture.client.search(SEARCH).next();
      should(first).containDeep({ value: { incompleteSearch: true } });
    });
  });

  describe('listPages with arbitrary responses', () => {
    const service = useScriptedService();
    let testClient: TestClient;

    beforeEach(() => (testClient = createTestClient(service.url)));
    const list = () => collectFiles(testClient.client.search(SEARCH));

    it('a list ends with bad_response when a page token repeats', async () => {
      service.onRequest(() => ({ body: { files: [], nextPageToken: 'again' } }));
      await rejected(list(), 'bad_response', 'bad_response_page_token');
      service.requests.length.should.equal(2);
    });

    it('a list ends with bad_response when its pages contain only what earlier ones did', async () => {
      let page = 0;
      service.onRequest(() => ({ body: { files: [{ id: 'a' }, { id: 'b' }], nextPageToken: `${++page}` } }));
      await rejected(list(), 'bad_response', 'bad_response_empty_pages');
    });

    it('a file that comes again up to 5,000 files later is listed once, and the memory is bounded', async () => {
      const file = (index: number) => ({ id: `${index}` });
      const range = (start: number) => Array.from({ length: 1_000 }, (_, index) => file(start + index));
      const pages = 12;
      service.onRequest(({ query }) => {
        const page = Number(query.get('pageToken') ?? 0);
        const again = page === 0 ? [] : [file(page * 1_000 - 1), file(Math.max(0, page - 4) * 1_000)];
        const nextPageToken = page < pages - 1 ? `${page + 1}` : undefined;
        return { body: { files: [...again, ...range(page * 1_000)], nextPageToken } };
      });
      (await list()).should.have.length(pages * 1_000);
      const recent = new RecentFiles();
      for (let page = 0; page < 50; page++) recent.withoutRepeated(range(page * 1_000));
      recent.size.should.be.belowOrEqual(10_000);
      recent.withoutRepeated([file(0), file(49_999)]).should.eql([file(0)]);
    });

    for (const body of [
      {},
      { files: {} },
      { files: 'x' },
      { files: [5] },
      { files: [null] },
      { files: [{}] },
      { files: [{ id: null }] },
      { files: [{ id: '' }] },
      { files: [{ id: 5 }] },
      { files: [{ id: 'F' }, { name: 'n' }] },
      { files: [{ id: 'F', name: [] }] },
      { files: [{ id: 'F', size: 5 }] },
      { files: [{ id: 'F', size: '-1' }] },
      { files: [{ id: 'F', parents: 'x' }] },
      { files: [{ id: 'F', parents: [5] }] },
      { files: [{ id: 'F', parents: [null] }] },
      { files: [{ id: 'F', trashed: 'no' }] },
      { files: [{ id: 'F', modifiedTime: 5 }] },
      { files: [], nextPageToken: 5 },
      { files: [], nextPageToken: '' },
      { files: [], incompleteSearch: 'no' },
      '',
      '[]',
      '<html>',
    ]) {
      it(`a list rejects the response ${JSON.stringify(body)}`, async () => {
        service.onRequest(() => ({ body }));
        await rejected(list(), 'bad_response');
      });
    }

    it('a list of a shared drive is limited to that drive', async () => {
      testClient = createTestClient(service.url, { service: { driveId: 'D' } });
      service.onRequest(() => ({ body: { files: [] } }));
      await list();
      const query = Object.fromEntries(service.requests[0]?.query ?? []);
      should(query).containEql({ corpora: 'drive', driveId: 'D', includeItemsFromAllDrives: 'true' });
    });

    it('a list of a custom service has no page size until the service returns a page token', async () => {
      testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
      service.respondInOrder({ body: { files: [], nextPageToken: 'T' } }, { body: { files: [] } });
      await list();
      service.requests
        .map(({ query }) => [query.get('pageSize'), query.get('pageToken')])
        .should.deepEqual([
          [null, null],
          ['1000', 'T'],
        ]);
    });
  });

  describe('listPages with an entry that lacks members', () => {
    const fixture = new BackupFixture();
    const rules = { ...NO_RULES, keepNewest: 1 };
    const NEWEST = 'home-0002.tar';

    beforeEach(async () => {
      for (const name of ['home-0001.tar', NEWEST]) {
        await fixture.add(name, { mimeType: 'application/x-tar', content: '' });
        await writeFile(fixture.disk('home', name), '');
      }
    });

    const all = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name,parents,size' } as const;
    const search = (more: object) => (): Promise<unknown> =>
      collectFiles(fixture.client.search({ ...all, folderId: fixture.folderId, ...more }));
    const sync = (direction: 'up' | 'down') => (): Promise<unknown> => {
      const { folderId, source: localPath } = fixture;
      return fixture.client.sync({
        ...SYNC_DEFAULTS,
        direction,
        folderId,
        localPath,
        extra: direction === 'up' ? 'trash' : 'delete',
      });
    };
    const OPERATIONS: Record<string, () => Promise<unknown>> = {
      'a search by a glob': search({ text: '*.tar', match: 'glob' }),
      'a recursive search by a regular expression': search({ text: 'tar$', match: 'regex', recursive: true }),
      'a search sorted by size': search({ sort: 'largest' }),
      'a sync up': sync('up'),
      'a sync down': sync('down'),
      'a backup that removes old archives': async () => {
        const { laterError } = await fixture.backup({ retention: rules, compression: 'none' });
        if (laterError) throw laterError;
      },
      'the choice of an archive': () => {
        const choice = { which: 'newest' } as const;
        const where = { folderId: fixture.folderId, folderName: 'Backups', pattern: '*' };
        return fixture.client.findArchives({ ...where, choice, fields: 'id,name,parents' });
      },
      'an upload that replaces a file': () => {
        const content = { data: Buffer.from('new') };
        const where = { folderId: fixture.folderId, name: NEWEST, ifExists: 'replace' } as const;
        return fixture.client.upload({ ...PLAIN_UPLOAD, ...where, content });
      },
      'a watch': async () => {
        const options = { folderId: fixture.folderId, recursive: true, events: ['created'] } as const;
        for await (const { events } of fixture.client.watch({ ...options, start: 'all' }, undefined).poll({}))
          events.forEach(({ file }) => should(file.id).be.a.String());
      },
    };
    const MEMBERS: [string, (file: Record<string, unknown>) => object, code?: 'bad_response'][] = [
      ['no id', ({ id: _id, ...file }) => file, 'bad_response'],
      ['the id null', (file) => ({ ...file, id: null }), 'bad_response'],
      ['a number as its id', (file) => ({ ...file, id: 5 }), 'bad_response'],
      ['no name', ({ name: _name, ...file }) => file, 'bad_response'],
      ['the name null', (file) => ({ ...file, name: null }), 'bad_response'],
      ['a number as its size', (file) => ({ ...file, size: 5 }), 'bad_response'],
      [
        'only an id and a name',
        ({ id, name, mimeType }) => ({ id, name, ...(mimeType ? { mimeType } : {}) }),
      ],
      [
        'other members null',
        (file) => ({ ...file, ...{ parents: null, size: null, createdTime: null, modifiedTime: null } }),
      ],
    ];
    for (const [operation, run] of Object.entries(OPERATIONS)) {
      for (const [members, edited, code] of MEMBERS) {
        it(`after a list with a file that has ${members}, ${operation} ${code ? 'ends with bad_response' : 'succeeds'}`, async () => {
          const { faults, files } = fixture.drive;
          const edit = (page: Record<string, unknown>[]) =>
            page.map((file) => (file['name'] === NEWEST ? edited(file) : file) as Record<string, unknown>);
          const match = { method: 'GET', path: '/files$' };
          faults.add({ kind: 'editPage', edit, match, times: Infinity });
          if (code) await rejected(run(), code);
          else await run();
          const left = files.in(fixture.folderId).filter(({ trashed }) => !trashed);
          if (code) left.map(({ name }) => name).should.containDeep(['home-0001.tar', NEWEST]);
          (await readdir(fixture.source)).should.containDeep(['home-0001.tar', NEWEST]);
        });
      }
    }

    for (const direction of ['up', 'down'] as const) {
      it(`a sync ${direction} ends with bad_response after a list with a folder without a MIME type`, async () => {
        const folderId = await fixture.drive.files.addFolder('docs', fixture.folderId);
        await fixture.drive.files.add({ name: 'a.txt', parent: folderId });
        const edit = (page: Record<string, unknown>[]) => page.map(({ mimeType: _type, ...file }) => file);
        fixture.drive.faults.add({ kind: 'editPage', edit, match: { path: '/files$' }, times: Infinity });
        await rejected(sync(direction)(), 'bad_response');
        should(fixture.drive.files.find(folderId)?.trashed).not.equal(true);
      });
    }
  });
});

describe('lists that must be complete', () => {
  const service = useScriptedService();
  let drive: DriveContext;
  let close: () => void;

  beforeEach(() => {
    const { engine, http, clock } = createTestEngine(service.url, { retryFor: 10_000 });
    const urls = { baseUrl: service.url, uploadUrl: service.url, driveId: '' };
    const google = { can: CAPABILITIES.google, folderMimeType: 'folder', ...urls };
    drive = createDriveContext({
      ...{ engine, service: google, bandwidth: new BandwidthLimiter(0, clock), clock },
    });
    close = () => http.close();
  });

  afterEach(() => close());

  const file = (id: string): DriveFile => ({ id, name: 'a', mimeType: 'text/plain', parents: ['A'] });
  const page = (...ids: string[]): ScriptedResponse => ({ body: { files: ids.map(file) } });
  const incomplete = (...ids: string[]): ScriptedResponse => ({
    body: { files: ids.map(file), incompleteSearch: true },
  });
  const first = (...ids: string[]): ScriptedResponse => ({
    body: { files: ids.map(file), nextPageToken: 'next' },
  });
  const pages = (call: CallOptions) => listPages(drive, { q: '', fields: 'id' }, call);
  const ids = (files: readonly DriveFile[]): string => files.map(({ id }) => id).join(' ');

  it('a list is repeated from its first page until it is complete, and only the last attempt counts', async () => {
    service.respondInOrder(first('1'), incomplete('2'), incomplete('1'), first('1'), page('2', '3'));
    ids(await listComplete(drive, { pages }, {})).should.equal('1 2 3');
    service.requests.length.should.equal(5);
  });

  it('a list that stays incomplete is an error after three attempts', async () => {
    service.onRequest(() => incomplete('1'));
    const text = 'bad_response_incomplete_names';
    const list = listComplete(drive, { pages, text, params: { name: 'n' } }, {});
    const error = await rejected(list, 'bad_response', text);
    error.params.should.eql({ name: 'n' });
    service.requests.length.should.equal(3);
  });

  it('a list is read page by page, so that memory does not depend on its length', async () => {
    service.respondInOrder(first('1'), page('2'));
    const requested: number[] = [];
    const read = async (list: AsyncIterable<DriveFile[]>): Promise<void> => {
      for await (const files of list) requested.push(service.requests.length, files.length);
    };
    await readComplete(drive, { pages }, read, {});
    requested.should.eql([1, 1, 2, 1]);
  });

  const busy: ScriptedResponse = { status: 503, headers: { 'retry-after': '6' } };

  it('all pages and attempts of a list share the retry budget of the call', async () => {
    service.respondInOrder(busy, first('1'), busy, page('2'));
    await rejected(listComplete(drive, { pages }, {}), 'service_unavailable');
  });

  it('the list of a synchronization shares the retry budget of the call', async () => {
    service.respondInOrder(busy, first('1'), busy, page('2'));
    await rejected(listDrive(drive, ['A'], {}), 'service_unavailable');
  });
});
