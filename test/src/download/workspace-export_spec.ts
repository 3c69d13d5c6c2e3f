/** Documents that have to be exported. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export */
import { readFile, readdir } from 'node:fs/promises';
import should from 'should';
import type { ToDisk } from '../../../src/download/to-disk';
import { exportName } from '../../../src/download/workspace-export';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

const SHEET = 'application/vnd.google-apps.spreadsheet';

describe('native documents', () => {
  const at = driveFixture();
  const disk = useDisk();
  let sheet: string;

  before(async () => {
    sheet = await at.drive.files.add({ name: 'Budget 2.1', mimeType: SHEET, content: 'a,b\n' });
  });

  const toMemory = (exportFormat?: string, more: object = {}) =>
    at.client.downloadToMemory({
      ...{ id: sheet, fields: 'id,name', acknowledgeAbuse: false, maxSize: 1e6, ...more },
      ...(exportFormat === undefined ? {} : { exportFormat }),
    });
  const toDisk = (path: string, more: Partial<ToDisk> = {}) =>
    at.client.downloadToDisk({
      ...{ id: sheet, fields: 'id,name', acknowledgeAbuse: false, path, overwrite: 'error', ...more },
    });
  const asked = () => at.drive.requests.to('GET').map(({ path, query }) => [path.split('/').at(-1), query]);

  it('are refused with the formats that there are, and nothing is fetched', async () => {
    for (const format of [undefined, '']) {
      const error = await rejected(toMemory(format), 'not_downloadable', 'not_downloadable_native');
      should(error.params).match({ name: 'Budget 2.1', formats: 'csv, pdf' });
    }
    const error = await rejected(toMemory('docx'), 'not_downloadable', 'not_downloadable_format');
    should(error.params).match({ wanted: 'docx', formats: 'csv, pdf' });
    asked().should.matchEach(([last]) => should(last).equal(sheet));
    JSON.stringify(asked()).should.not.containEql('media');
  });

  for (const format of ['csv', '.CSV', 'text/csv']) {
    it(`are exported to ${format}`, async () => {
      const { file, content } = await toMemory(format);
      content.toString().should.equal('a,b\n');
      should(file).match({ id: sheet, name: 'Budget 2.1' });
    });
  }

  it('are whole in memory where they are large and nobody had said how large', async () => {
    const content = bytes(3_000_001);
    const large = await at.drive.files.add({ name: 'Large', mimeType: SHEET, content });
    const { content: came } = await toMemory('csv', { id: large, maxSize: 1e7 });
    came.equals(content).should.be.true();
  });

  it('are exported to what the path on disk ends in', async () => {
    (await toDisk(disk('out.csv'))).path.should.equal(disk('out.csv'));
    (await readFile(disk('out.csv'), 'utf8')).should.equal('a,b\n');
    (await toDisk(disk('out.pdf'))).path.should.equal(disk('out.pdf'));
    (await readFile(disk('out.pdf'), 'utf8')).should.startWith('%PDF');
    await rejected(toDisk(disk('out')), 'not_downloadable', 'not_downloadable_native');
    await rejected(toDisk(disk('out.bak')), 'not_downloadable', 'not_downloadable_format');
    (await toDisk(disk('out.bak'), { exportFormat: 'csv' })).path.should.equal(disk('out.bak'));
    (await readdir(disk())).sort().should.deepEqual(['out.bak', 'out.csv', 'out.pdf']);
  });

  it('get the ending of the format behind their own name', async () => {
    (await toDisk(disk('in/'), { exportFormat: 'csv' })).path.should.equal(disk('in', 'Budget 2.1.csv'));
    exportName('a.PDF', 'application/pdf').should.equal('a.PDF');
    exportName('a', 'application/x-vnd.oasis.opendocument.spreadsheet').should.equal('a.ods');
    exportName('a', 'application/unheard-of').should.equal('a');
    const error = await rejected(toDisk(disk('in/'), { exportFormat: 'csv' }), 'conflict');
    should(error.params['path']).equal(disk('in', 'Budget 2.1.csv'));
  });

  it('begin anew where the line breaks: an export has no parts', async () => {
    at.drive.faults.add({ kind: 'resetResponse', bytes: 2, match: { path: /export$/ } });
    (await toMemory('csv')).content.toString().should.equal('a,b\n');
    const exports = at.drive.requests.to('GET').filter(({ path }) => path.endsWith('/export'));
    exports.map(({ headers }) => headers.range).should.deepEqual([undefined, undefined]);
  });

  it('leave no part of themselves', async () => {
    at.drive.faults.add({ kind: 'resetResponse', bytes: 2, match: { path: /export$/ }, times: Infinity });
    await rejected(toDisk(disk('out.csv')), 'network');
    (await readdir(disk())).should.be.empty();
  });

  it('are refused while they come where they are larger than allowed in memory', async () => {
    await rejected(toMemory('csv', { maxSize: 3 }), 'too_large', 'too_large_content');
  });

  it('say so where they are too large for the service to export', async () => {
    const content = Buffer.alloc(10 * 1024 * 1024 + 1);
    const id = await at.drive.files.add({ name: 'large', mimeType: SHEET, content });
    await rejected(toMemory('csv', { id }), 'not_downloadable', 'not_downloadable_export_size');
  });

  it('say so where the service exports them to nothing', async () => {
    const id = await at.drive.files.add({ name: 'form', mimeType: 'application/vnd.google-apps.form' });
    await rejected(toMemory('pdf', { id }), 'not_downloadable', 'not_downloadable_no_format');
  });

  /** The service says once that there are these. */
  function formats(...types: string[]): void {
    const exportLinks = Object.fromEntries(types.map((type) => [type, 'x']));
    at.drive.faults.add({
      kind: 'response',
      body: { id: sheet, exportLinks },
      match: { query: 'exportLinks' },
    });
  }

  it('name only formats that are media types, in order', async () => {
    formats('text/plain', 'a secret https://x', 'text/csv');
    const error = await rejected(toMemory(), 'not_downloadable');
    should(error.params['formats']).equal('csv, txt');
  });

  for (const [ending, type] of [
    ['htm', 'text/html'],
    ['rtf', 'application/rtf'],
    ['ods', 'application/x-vnd.oasis.opendocument.spreadsheet'],
  ] as const) {
    it(`are exported to ${type} for ${ending}`, async () => {
      formats('text/csv', 'text/html', 'application/rtf', 'application/x-vnd.oasis.opendocument.spreadsheet');
      await toMemory(ending).catch(() => undefined);
      should(asked().at(-1)).deepEqual(['export', new URLSearchParams({ mimeType: type }).toString()]);
    });
  }
});
