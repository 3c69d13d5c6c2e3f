/** Lists of folders on the drive with unusual content. */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { type DriveEntry, targetEntry, listDrive, toEntry } from '../../../src/sync/list-drive';
import { type DriveContext, createDriveContext } from '../../../src/drive/drive-context';
import type { DriveFile } from '../../../src/index';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { type ScriptedResponse, useScriptedService } from '../../support/http/scripted-service';

const FOLDER = 'application/vnd.google-apps.folder';
const TEXT = 'text/plain';
const SHORTCUT = 'application/vnd.google-apps.shortcut';

describe('lists of folders on the drive', () => {
  const service = useScriptedService();
  let drive: DriveContext;
  let close: () => void;

  beforeEach(() => {
    const { engine, http, clock } = createTestEngine(service.url, { retryFor: 0 });
    const urls = { baseUrl: service.url, uploadUrl: service.url };
    const google = { can: CAPABILITIES.google, ...urls, folderMimeType: FOLDER, driveId: '' };
    drive = createDriveContext({
      ...{ engine, service: google, bandwidth: new BandwidthLimiter(0, clock), clock },
    });
    close = () => http.close();
  });

  afterEach(() => close());

  const respond = (...files: Partial<DriveFile>[]): void =>
    service.onRequest(() => ({ headers: { 'Content-Type': 'application/json' }, body: { files } }));
  const namesIn = (lists: Map<string, DriveEntry[]>): [string, string[]][] =>
    [...lists].map(([id, entries]) => [id, entries.map(({ name }) => name)]);

  it('without known parents of a file, each folder is listed with a request of its own', async () => {
    service.onRequest(({ query }) => {
      const q = query.get('q') ?? '';
      const files = ['A', 'B']
        .filter((id) => q.includes(`'${id}'`))
        .map((id) => ({ id, name: `in ${id}`, mimeType: TEXT }));
      return { headers: { 'Content-Type': 'application/json' }, body: { files } };
    });
    namesIn(await listDrive(drive, ['A', 'B'], {})).should.eql([
      ['A', ['in A']],
      ['B', ['in B']],
    ]);
    service.requests.length.should.equal(3);
  });

  it('files in the root are recognized although their parent isn’t the alias, with one request', async () => {
    respond(
      { id: '1', name: 'in root', mimeType: TEXT, parents: ['ROOT ID'] },
      { id: '2', name: 'in A', mimeType: TEXT, parents: ['A'] },
    );
    namesIn(await listDrive(drive, ['root', 'A'], {})).should.eql([
      ['root', ['in root']],
      ['A', ['in A']],
    ]);
    service.requests.length.should.equal(1);
  });

  it('files in several folders are in the list of each, and files in the trash in none', async () => {
    respond(
      { id: '1', name: 'both', mimeType: TEXT, parents: ['A', 'other', 'B'] },
      { id: '2', name: 'gone', mimeType: TEXT, parents: ['A'], trashed: true },
    );
    namesIn(await listDrive(drive, ['A', 'B'], {})).should.eql([
      ['A', ['both']],
      ['B', ['both']],
    ]);
    (await listDrive(drive, [], {})).size.should.equal(0);
  });

  it('a file that the service lists twice, such as on two pages, is in the list of each folder once', async () => {
    service.onRequest(({ query }) => {
      const isFirst = query.get('pageToken') === null;
      const file = (id: string): DriveFile => ({ id, name: id, mimeType: TEXT, parents: ['A', 'B'] });
      const files = (isFirst ? ['1', '2'] : ['2', '3']).map(file);
      const body = { files, ...(isFirst && { nextPageToken: 'next' }) };
      return { headers: { 'Content-Type': 'application/json' }, body };
    });
    namesIn(await listDrive(drive, ['A', 'B'], {})).should.eql([
      ['A', ['1', '2', '3']],
      ['B', ['1', '2', '3']],
    ]);
  });

  it('a shortcut without a target, and one to something that isn’t available, are blocked', async () => {
    toEntry(drive, { id: 'S', name: 's', mimeType: SHORTCUT }).should.match({
      kind: 'blocked',
      reason: 'shortcut_target',
    });
    const shortcutDetails = { targetId: 'T' };
    const entry = toEntry(drive, { id: 'S', name: 's', mimeType: SHORTCUT, shortcutDetails });
    entry.should.match({ kind: 'shortcut', target: { id: 'T', isFolder: false } });
    const follow = (response: ScriptedResponse): Promise<DriveEntry> => {
      service.onRequest(() => ({ headers: { 'Content-Type': 'application/json' }, ...response }));
      return targetEntry(drive, entry, {});
    };
    const other = { id: 'T', name: 't', mimeType: SHORTCUT, shortcutDetails: { targetId: 'U' } };
    for (const response of [
      { status: 404, body: {} },
      { status: 403, body: {} },
      { body: { id: 'T', name: 't', mimeType: TEXT, trashed: true } },
      { body: other },
    ]) {
      (await follow(response)).should.match({ name: 's', kind: 'blocked', reason: 'shortcut_target' });
    }
    const file = await follow({ body: { id: 'T', name: 't', mimeType: TEXT, size: '3' } });
    file.should.match({ name: 's', kind: 'file', isShortcut: true, file: { id: 'T', size: 3 } });
    await rejected(follow({ status: 500, body: {} }), 'service_unavailable');
  });

  it('documents, folders and shortcuts of every vendor are distinguished from files', async () => {
    const kinds = ['document', 'folder', 'shortcut'].flatMap((type) =>
      ['google', 'acme'].map((vendor) => `application/vnd.${vendor}-apps.${type}`),
    );
    respond(...kinds.map((mimeType, index) => ({ id: `${index}`, name: mimeType, mimeType, size: '9' })));
    const entries = (await listDrive(drive, ['A'], {})).get('A') ?? [];
    entries
      .map(({ kind }) => kind)
      .should.eql(['document', 'document', 'folder', 'folder', 'blocked', 'blocked']);
    entries.every(({ file }) => file.isDocument && file.size === undefined).should.be.true();
  });
});
