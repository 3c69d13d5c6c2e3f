/** What users find in the audit log: docs/security.md, "Audit log". */
import should from 'should';
import type { ObservedEvent } from '../../../src/index';
import { withoutIds } from '../../../src/http/observer';
import { idOf } from '../../../src/backup/restic/crypto';
import { DriveStore } from '../../../src/backup/drive-store';
import { indexedArchive } from '../../support/archive/indexed-archive';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { inReusedMemory, uploadContext, uploadStreamTo } from '../../support/client/stream-fixture';
import { bytes } from '../../support/content';

const SMALL = 1_000;
const DOWNLOAD = { acknowledgeAbuse: false, fields: 'id', maxSize: 1024 * 1024 };
const LARGE = 6 * 1024 * 1024;

describe('observed events', () => {
  const events: ObservedEvent[] = [];
  const observe = (event: ObservedEvent): void => void events.push(event);
  const fixture = driveFixture({}, { observe });

  beforeEach(() => events.splice(0));

  const upload = (size: number): Promise<{ file: { id: string } }> =>
    fixture.client.upload({ ...PLAIN_UPLOAD, content: { data: bytes(size) } });
  /** The events in order, with their most important properties. */
  const summary = (): string[] =>
    events.map((event) => {
      if (event.event === 'request') return `${event.method} ${event.path} ${event.status ?? event.error}`;
      if (event.event === 'retry') return `retry ${event.error} ${event.attempt} ${event.delay}`;
      if (event.event === 'transfer') return `${event.direction} ${event.bytes} ${event.error ?? 'ok'}`;
      return `${event.event} ${event.error ?? 'ok'}`;
    });

  it('an upload and a download are reported with their requests, bytes and durations', async () => {
    const { file } = await upload(SMALL);
    await fixture.client.downloadToMemory({ ...DOWNLOAD, id: file.id });
    // A request is over when its response is closed, which may be after the transfer.
    summary()
      .sort()
      .should.eql([
        'GET /drive/v3/files/* 200',
        'GET /drive/v3/files/* 200',
        'GET /drive/v3/files/generateIds 200',
        'POST /upload/drive/v3/files 200',
        `download ${SMALL} ok`,
        `upload ${SMALL} ok`,
      ]);
    for (const { ms } of events as { ms: number }[]) ms.should.be.within(0, 60_000);
    events.some((event) => event.event === 'request' && (event.sent ?? 0) > SMALL).should.be.true();
    events.some((event) => event.event === 'request' && event.received === SMALL).should.be.true();
  });

  it('retries are reported with their error, attempt and delay', async () => {
    fixture.drive.faults.add({ kind: 'error', reason: 'backendError', status: 503, times: 2 });
    await fixture.client.getAbout('user');
    summary().should.eql([
      'GET /drive/v3/about 503',
      'retry service_unavailable 1 500',
      'GET /drive/v3/about 503',
      'retry service_unavailable 2 1000',
      'GET /drive/v3/about 200',
    ]);
  });

  it('a lost response is reported with the code of its error', async () => {
    fixture.drive.faults.add({ kind: 'lostResponse', match: { path: '/drive/v3/about' } });
    await fixture.client.getAbout('user');
    summary().should.containEql('GET /drive/v3/about network');
  });

  it('a transfer that fails is reported once, with its error', async () => {
    await rejected(fixture.client.downloadToMemory({ ...DOWNLOAD, id: 'missing-file' }), 'not_found');
    const match = { when: ({ method }: { method: string }) => method === 'PUT' };
    fixture.drive.faults.add({ kind: 'error', reason: 'storageQuotaExceeded', status: 403, match });
    await rejected(upload(LARGE), 'quota_exceeded');
    events.filter(({ event }) => event === 'transfer').should.have.length(1);
    summary().should.containEql(`upload ${LARGE} quota_exceeded`);
  });

  it('an upload of unknown length is reported with the bytes that were sent', async () => {
    const folderId = await fixture.drive.files.addFolder('target');
    const { drive, client, clock, http } = fixture;
    const observed = { drive, client, clock, http, observe };
    await uploadStreamTo(observed, { folderId, content: inReusedMemory(bytes(LARGE)) });
    summary().should.containEql(`upload ${LARGE} ok`);
  });

  it('the ranges of an archive are reported as downloads', async () => {
    const archive = indexedArchive([{ name: 'one', content: 'one' }]);
    const name = 'home.tar.gz';
    const folderId = await fixture.drive.files.addFolder('archives');
    await fixture.drive.files.add({ name, parent: folderId, content: archive });
    await fixture.client.listArchive({
      ...{ choice: { which: 'newest' }, folderId, folderName: 'archives', pattern: '*', include: [] },
      ...{ fields: 'id', onEntries: () => Promise.resolve(), mayRepeat: () => false },
    });
    summary().should.containEql(`download ${archive.length} ok`);
  });

  it('the files of a repository, and ranges of them, are reported as transfers', async () => {
    const { drive, client, clock, http } = fixture;
    const context = uploadContext({ drive, client, clock, http, observe });
    const folderId = await drive.files.addFolder('repository');
    const store = new DriveStore(context, { folderId, mode: 'trash' }, {});
    const name = idOf(bytes(SMALL));
    await store.save('keys', name, new Uint8Array(bytes(SMALL)).buffer, SMALL);
    await store.load('keys', name);
    await store.load('keys', name, { start: 100, end: 150 });
    summary()
      .filter((event) => /^(?:up|down)load/.test(event))
      .should.eql([`upload ${SMALL} ok`, `download ${SMALL} ok`, 'download 50 ok']);
  });

  it('paths contain only words of the API', () => {
    const paths = {
      'https://www.googleapis.com/drive/v3/files/1AbC/permissions/anyoneWithLink?x=secret':
        '/drive/v3/files/*/permissions/*',
      'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=x':
        '/upload/drive/v3/files',
      'https://example.com/secret-prefix/drive/v3/changes/startPageToken':
        '/*/drive/v3/changes/startPageToken',
      'https://oauth2.googleapis.com/token': '/token',
    };
    for (const [url, path] of Object.entries(paths)) should(withoutIds(url)).equal(path);
  });
});
