/**
 * Exports above the size limit of the export request.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File.FIELDS.export_links
 */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import should from 'should';
import { usableExportLink } from '../../../../src/transfer/download/workspace-export';
import type { DiskDownload } from '../../../../src/transfer/download/to-disk';
import { bytes } from '../../../support/content';
import { useDisk } from '../../../support/disk';
import { driveFixture } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';

const SHEET = 'application/vnd.google-apps.spreadsheet';
const CONTENT = bytes(12_000_000);

describe('workspace-export with export links', () => {
  const fixture = driveFixture({ redirectDownloads: true });
  const disk = useDisk();
  let id: string;

  before(async () => {
    id = await fixture.drive.files.add({ name: 'Large', mimeType: SHEET, content: CONTENT });
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
    const small = await fixture.drive.files.add({ name: 'Small', mimeType: SHEET, content: 'a,b\n' });
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
