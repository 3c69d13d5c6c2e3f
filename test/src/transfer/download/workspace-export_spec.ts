/** Exports of Workspace documents. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export */
import { readFile, readdir } from 'node:fs/promises';
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import type { DiskDownload } from '../../../../src/transfer/download/to-disk';
import { exportName, usableExportLink } from '../../../../src/transfer/download/workspace-export';
import { bytes } from '../../../support/content';
import { useDisk } from '../../../support/disk';
import { driveFixture } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';
import { createHash } from 'node:crypto';

const SHEET = 'application/vnd.google-apps.spreadsheet';

describe('workspaceExport', () => {
  const fixture = driveFixture();
  const disk = useDisk();
  let sheet: string;

  before(async () => {
    sheet = await fixture.drive.files.add({ name: 'Budget 2.1', mimeType: SHEET, content: 'a,b\n' });
  });

  const toMemory = (exportFormat?: string, more: object = {}) =>
    fixture.client.downloadToMemory({
      ...{ id: sheet, fields: 'id,name', acknowledgeAbuse: false, maxSize: 1e6, ...more },
      ...(exportFormat === undefined ? {} : { exportFormat }),
    });
  const toDisk = (path: string, more: Partial<DiskDownload> = {}) =>
    fixture.client.downloadToDisk({
      ...{ id: sheet, fields: 'id,name', acknowledgeAbuse: false, path, overwrite: 'error', ...more },
    });
  const requests = () =>
    fixture.drive.requests.to('GET').map(({ path, query }) => [path.split('/').at(-1), query]);

  it('Workspace documents fail without an export format, with the available formats and without a request for content', async () => {
    for (const format of [undefined, '']) {
      const error = await rejected(toMemory(format), 'not_downloadable', 'not_downloadable_native');
      should(error.params).match({ name: 'Budget 2.1', formats: 'csv, pdf' });
    }
    const error = await rejected(toMemory('docx'), 'not_downloadable', 'not_downloadable_format');
    should(error.params).match({ wanted: 'docx', formats: 'csv, pdf' });
    requests().should.matchEach(([last]) => should(last).equal(sheet));
    JSON.stringify(requests()).should.not.containEql('media');
  });

  for (const format of ['csv', '.CSV', 'text/csv']) {
    it(`Workspace documents are exported to ${format}`, async () => {
      const { file, content } = await toMemory(format);
      content.toString().should.equal('a,b\n');
      should(file).match({ id: sheet, name: 'Budget 2.1' });
    });
  }

  it('Workspace documents are complete in memory although their size is unknown', async () => {
    const content = bytes(3_000_001);
    const large = await fixture.drive.files.add({ name: 'Large', mimeType: SHEET, content });
    const { content: exported } = await toMemory('csv', { id: large, maxSize: 1e7 });
    exported.equals(content).should.be.true();
  });

  it('Workspace documents are exported to the format of the path’s extension', async () => {
    (await toDisk(disk('out.csv'))).path.should.equal(disk('out.csv'));
    (await readFile(disk('out.csv'), 'utf8')).should.equal('a,b\n');
    (await toDisk(disk('out.pdf'))).path.should.equal(disk('out.pdf'));
    (await readFile(disk('out.pdf'), 'utf8')).should.startWith('%PDF');
    await rejected(toDisk(disk('out')), 'not_downloadable', 'not_downloadable_native');
    await rejected(toDisk(disk('out.bak')), 'not_downloadable', 'not_downloadable_format');
    (await toDisk(disk('out.bak'), { exportFormat: 'csv' })).path.should.equal(disk('out.bak'));
    (await readdir(disk())).sort().should.deepEqual(['out.bak', 'out.csv', 'out.pdf']);
  });

  it('Workspace documents get the extension of the format added to their own name', async () => {
    (await toDisk(disk('in/'), { exportFormat: 'csv' })).path.should.equal(disk('in', 'Budget 2.1.csv'));
    exportName('a.PDF', 'application/pdf').should.equal('a.PDF');
    exportName('a', 'application/x-vnd.oasis.opendocument.spreadsheet').should.equal('a.ods');
    exportName('a', 'application/unheard-of').should.equal('a');
    const error = await rejected(toDisk(disk('in/'), { exportFormat: 'csv' }), 'conflict');
    should(error.params['path']).equal(disk('in', 'Budget 2.1.csv'));
  });

  it('Workspace documents start over after a connection reset, because exports have no ranges', async () => {
    fixture.drive.faults.add({ kind: 'resetResponse', bytes: 2, match: { path: /export$/ } });
    (await toMemory('csv')).content.toString().should.equal('a,b\n');
    const exports = fixture.drive.requests.to('GET').filter(({ path }) => path.endsWith('/export'));
    exports.map(({ headers }) => headers.range).should.deepEqual([undefined, undefined]);
  });

  it('Workspace documents leave no part file', async () => {
    fixture.drive.faults.add({
      kind: 'resetResponse',
      bytes: 2,
      match: { path: /export$/ },
      times: Infinity,
    });
    await rejected(toDisk(disk('out.csv')), 'network');
    (await readdir(disk())).should.be.empty();
  });

  it('Workspace documents fail with too_large as soon as they exceed maxSize', async () => {
    await rejected(toMemory('csv', { maxSize: 3 }), 'too_large', 'too_large_content');
  });

  it('Workspace documents fail with not_downloadable_export_size if the service can’t export them', async () => {
    const content = Buffer.alloc(10 * 1024 * 1024 + 1);
    const id = await fixture.drive.files.add({ name: 'large', mimeType: SHEET, content });
    await rejected(toMemory('csv', { id }), 'not_downloadable', 'not_downloadable_export_size');
  });

  it('Workspace documents fail with not_downloadable_no_format if they have no export formats', async () => {
    const id = await fixture.drive.files.add({ name: 'form', mimeType: 'application/vnd.google-apps.form' });
    await rejected(toMemory('pdf', { id }), 'not_downloadable', 'not_downloadable_no_format');
  });

  it('documents of a custom service that exports nothing are downloaded, since they may have content', async () => {
    const mimeType = 'application/vnd.acme-apps.document';
    const id = await fixture.drive.files.add({ name: 'document', mimeType, content: Buffer.from('text') });
    await rejected(toMemory('', { id }), 'not_downloadable', 'not_downloadable_no_format');
    fixture.client.service.can = CAPABILITIES.custom;
    (await toMemory('', { id })).content.toString().should.equal('text');
  });

  /** The next response lists these export formats. */
  function offerFormats(...types: string[]): void {
    const exportLinks = Object.fromEntries(types.map((type) => [type, 'x']));
    fixture.drive.faults.add({
      kind: 'response',
      body: { id: sheet, exportLinks },
      match: { query: 'exportLinks' },
    });
  }

  it('Workspace documents fail with a sorted list of formats that contains valid MIME types only', async () => {
    offerFormats('text/plain', 'a secret https://x', 'text/csv');
    const error = await rejected(toMemory(), 'not_downloadable');
    should(error.params['formats']).equal('csv, txt');
  });

  it('Workspace documents list a format without a file extension by its MIME type', async () => {
    offerFormats('text/csv', 'application/x-no-extension');
    const error = await rejected(toMemory(), 'not_downloadable');
    should(error.params['formats']).equal('application/x-no-extension, csv');
  });

  it('Workspace documents have no format if the service lists none, or not as an object', async () => {
    for (const exportLinks of [undefined, 'text/csv', ['text/csv']]) {
      const body = { id: sheet, exportLinks };
      fixture.drive.faults.add({ kind: 'response', body, match: { query: 'exportLinks' } });
      await rejected(toMemory('csv'), 'not_downloadable', 'not_downloadable_no_format');
    }
  });

  for (const [extension, type] of [
    ['htm', 'text/html'],
    ['rtf', 'application/rtf'],
    ['ods', 'application/x-vnd.oasis.opendocument.spreadsheet'],
  ] as const) {
    it(`Workspace documents are exported to ${type} for the extension ${extension}`, async () => {
      offerFormats(
        'text/csv',
        'text/html',
        'application/rtf',
        'application/x-vnd.oasis.opendocument.spreadsheet',
      );
      await toMemory(extension).catch(() => undefined);
      should(requests().at(-1)).deepEqual(['export', new URLSearchParams({ mimeType: type }).toString()]);
    });
  }
});

const LARGE_SHEET = 'application/vnd.google-apps.spreadsheet';
const CONTENT = bytes(12_000_000);

describe('workspace-export with export links', () => {
  const fixture = driveFixture({ redirectDownloads: true });
  const disk = useDisk();
  let id: string;

  before(async () => {
    id = await fixture.drive.files.add({ name: 'Large', mimeType: LARGE_SHEET, content: CONTENT });
  });
  beforeEach(() => fixture.drive.downloadOrigin?.requests.clear());

  const toDisk = (more: Partial<DiskDownload> = {}) => {
    const request = { id, fields: 'id,name', acknowledgeAbuse: false, path: disk('out.csv') };
    return fixture.client.downloadToDisk({ ...request, overwrite: 'error', ...more });
  };
  const linkRequests = () => fixture.drive.downloadOrigin?.requests.all ?? [];
  const link = { path: /^\/export\// };

  it('documents are downloaded by export link to disk without a token', async () => {
    const { file } = await toDisk();
    const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
    hash(await readFile(disk('out.csv'))).should.equal(hash(CONTENT));
    should(file).match({ id, name: 'Large' });
    linkRequests().length.should.equal(1);
    for (const { headers } of linkRequests()) headers.should.not.have.property('authorization');
  });

  it('documents are downloaded by export link to memory up to maxSize', async () => {
    const request = { id, fields: 'id', acknowledgeAbuse: false, exportFormat: 'csv' };
    const { content } = await fixture.client.downloadToMemory({ ...request, maxSize: 20e6 });
    content.equals(CONTENT).should.be.true();
    await rejected(fixture.client.downloadToMemory({ ...request, maxSize: 5e6 }), 'too_large');
  });

  it('downloads by export link start over after a connection reset', async () => {
    fixture.drive.faults.add({ kind: 'resetResponse', bytes: 3_000_000, match: link });
    fixture.drive.faults.add({ kind: 'response', status: 503, body: '', match: { ...link, nth: 2 } });
    await toDisk();
    (await readFile(disk('out.csv'))).equals(CONTENT).should.be.true();
    linkRequests().length.should.equal(3);
  });

  for (const [what, response] of [
    ['a sign-in page', { headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<html>' }],
    [
      'a sign-in page with an unusual Content-Type',
      { headers: { 'Content-Type': 'TEXT/HTML ;charset=utf-8' }, body: '<html>' },
    ],
    ['401', { status: 401, body: '' }],
    ['403', { status: 403, body: '' }],
    ['404', { status: 404, body: '' }],
  ] as const) {
    it(`downloads by export link fail with not_downloadable_export_link if the link returns ${what}, and write nothing`, async () => {
      fixture.drive.faults.add({ kind: 'response', ...response, match: link, times: Infinity });
      const { params } = await rejected(toDisk(), 'not_downloadable', 'not_downloadable_export_link');
      should(params['status']).equal('status' in response ? response.status : 200);
      linkRequests().length.should.equal(1);
      (await readdir(disk())).should.be.empty();
    });
  }

  it('downloads by export link fail with not_downloadable_export_size if the link reports it too, after one request', async () => {
    const body = { error: { code: 403, errors: [{ reason: 'exportSizeLimitExceeded' }] } };
    fixture.drive.faults.add({ kind: 'response', status: 403, body, match: link, times: Infinity });
    await rejected(toDisk(), 'not_downloadable', 'not_downloadable_export_size');
    linkRequests().length.should.equal(1);
  });

  it('export links are not used if the export request succeeds', async () => {
    const small = await fixture.drive.files.add({ name: 'Small', mimeType: LARGE_SHEET, content: 'a,b\n' });
    await toDisk({ id: small });
    linkRequests().should.be.empty();
  });

  it('export links are not used over http, with another scheme, or for HTML', () => {
    should(usableExportLink('https://docs.example/x?y', 'text/csv')).equal('https://docs.example/x?y');
    for (const bad of ['http://docs.example/x', 'https://a:b@docs.example/', 'ftp://x/', 'x', 5, undefined])
      should(usableExportLink(bad, 'text/csv')).be.undefined();
    should(usableExportLink('https://docs.example/x', 'text/html')).be.undefined();
  });
});
