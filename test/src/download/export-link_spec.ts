/**
 * Exports over the limit, by their link.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File.FIELDS.export_links
 */
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import should from 'should';
import { exportLink } from '../../../src/download/export-link';
import type { ToDisk } from '../../../src/download/to-disk';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

const SHEET = 'application/vnd.google-apps.spreadsheet';
const CONTENT = bytes(12_000_000);

describe('exports larger than the service gives out itself', () => {
  const at = driveFixture({ redirectDownloads: true });
  const disk = useDisk();
  let id: string;

  before(async () => {
    id = await at.drive.files.add({ name: 'Large', mimeType: SHEET, content: CONTENT });
  });
  beforeEach(() => at.drive.downloadOrigin?.requests.clear());

  const toDisk = (more: Partial<ToDisk> = {}) => {
    const request = { id, fields: 'id,name', acknowledgeAbuse: false, path: disk('out.csv') };
    return at.client.downloadToDisk({ ...request, overwrite: 'error', ...more });
  };
  const followed = () => at.drive.downloadOrigin?.requests.all ?? [];
  const link = { path: /^\/export\// };

  it('come by their link, which gets no token', async () => {
    const { file } = await toDisk();
    const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
    hash(await readFile(disk('out.csv'))).should.equal(hash(CONTENT));
    should(file).match({ id, name: 'Large' });
    followed().length.should.equal(1);
    for (const { headers } of followed()) headers.should.not.have.property('authorization');
  });

  it('come into memory, no more than is allowed there', async () => {
    const request = { id, fields: 'id', acknowledgeAbuse: false, exportFormat: 'csv' };
    const { content } = await at.client.downloadToMemory({ ...request, maxSize: 20e6 });
    content.equals(CONTENT).should.be.true();
    await rejected(at.client.downloadToMemory({ ...request, maxSize: 5e6 }), 'too_large');
  });

  it('begin anew where the line breaks', async () => {
    at.drive.faults.add({ kind: 'resetResponse', bytes: 3_000_000, match: link });
    at.drive.faults.add({ kind: 'response', status: 503, body: '', match: { ...link, nth: 2 } });
    await toDisk();
    (await readFile(disk('out.csv'))).equals(CONTENT).should.be.true();
    followed().length.should.equal(3);
  });

  for (const [what, answer] of [
    ['a page to sign in at', { headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<html>' }],
    ['one in another writing', { headers: { 'Content-Type': 'TEXT/HTML ;charset=utf-8' }, body: '<html>' }],
    ['401', { status: 401, body: '' }],
    ['403', { status: 403, body: '' }],
    ['404', { status: 404, body: '' }],
  ] as const) {
    it(`are told what to do where their link leads to ${what}, and nothing is written`, async () => {
      at.drive.faults.add({ kind: 'response', ...answer, match: link, times: Infinity });
      const { params } = await rejected(toDisk(), 'not_downloadable', 'not_downloadable_export_link');
      should(params['status']).equal('status' in answer ? answer.status : 200);
      followed().length.should.equal(1);
      (await readdir(disk())).should.be.empty();
    });
  }

  it('are told of as too large where their link says so, too, and it is followed once', async () => {
    const body = { error: { code: 403, errors: [{ reason: 'exportSizeLimitExceeded' }] } };
    at.drive.faults.add({ kind: 'response', status: 403, body, match: link, times: Infinity });
    await rejected(toDisk(), 'not_downloadable', 'not_downloadable_export_size');
    followed().length.should.equal(1);
  });

  it('are not asked for by a link where the service exports them', async () => {
    const small = await at.drive.files.add({ name: 'Small', mimeType: SHEET, content: 'a,b\n' });
    await toDisk({ id: small });
    followed().should.be.empty();
  });

  it('have no link over http, of another kind, or whose answer looks like a page to sign in at', () => {
    should(exportLink('https://docs.example/x?y', 'text/csv')).equal('https://docs.example/x?y');
    for (const bad of ['http://docs.example/x', 'https://a:b@docs.example/', 'ftp://x/', 'x', 5, undefined])
      should(exportLink(bad, 'text/csv')).be.undefined();
    should(exportLink('https://docs.example/x', 'text/html')).be.undefined();
  });
});
