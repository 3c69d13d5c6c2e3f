/** Statements in the documentation that no table and no other spec compares with the behavior of the nodes. */
import should from 'should';
import { consoleUrl } from '../../nodes/account/panel/google-console.editor';
import { HEARTBEAT_TIMEOUT } from '../../src/fs/part-owner';
import { useDisk } from '../support/disk';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';
import { readDocument } from './markdown';
import { textsOf } from './texts';

/**
 * Google's export formats by document.
 * https://developers.google.com/workspace/drive/api/guides/ref-export-formats
 */
const OPEN = 'application/vnd.openxmlformats-officedocument';
const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Google Docs': {
    docx: `${OPEN}.wordprocessingml.document`,
    odt: 'application/vnd.oasis.opendocument.text',
    rtf: 'application/rtf',
    pdf: 'application/pdf',
    txt: 'text/plain',
    zip: 'application/zip',
    epub: 'application/epub+zip',
    md: 'text/markdown',
  },
  'Google Sheets': {
    xlsx: `${OPEN}.spreadsheetml.sheet`,
    ods: 'application/x-vnd.oasis.opendocument.spreadsheet',
    pdf: 'application/pdf',
    zip: 'application/zip',
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
  },
  'Google Slides': {
    pptx: `${OPEN}.presentationml.presentation`,
    odp: 'application/vnd.oasis.opendocument.presentation',
    pdf: 'application/pdf',
    txt: 'text/plain',
    jpg: 'image/jpeg',
    png: 'image/png',
    svg: 'image/svg+xml',
  },
  'Google Drawings': {
    pdf: 'application/pdf',
    jpg: 'image/jpeg',
    png: 'image/png',
    svg: 'image/svg+xml',
  },
};

describe('statements in the documentation', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();

  it('a missing folder is the root for upload only, as docs/nodes.md says', async () => {
    const { text } = await readDocument('docs/nodes.md');
    text.replace(/\s+/g, ' ').should.match(/Only \*\*upload\*\* accepts a missing folder, which is the root/);
    const upload = await load([{ id: 'n', type: 'cloud-drive-upload' }], { url: drive().url });
    const { payload } = passed(await upload.run('n', { payload: 'x', filename: 'a.txt' }));
    (payload as { parents: string[] }).parents.should.eql([drive().files.rootId]);
  });

  for (const node of ['list-folders', 'search-files', 'prune']) {
    it(`a missing folder is invalid_input for ${node}, as docs/nodes.md says`, async () => {
      const flow = await load([{ id: 'n', type: `cloud-drive-${node}` }], { url: drive().url });
      failed(await flow.run('n', {}), 'invalid_input');
      should(drive().requests.to('GET', /files/)).be.empty();
    });
  }

  it('the exact name of prune is case-sensitive, as its page says', async () => {
    (await readDocument('docs/nodes/prune.md')).text.should.containEql('_exact name_ is case-sensitive');
    const folder = await drive().files.addFolder('case');
    for (const name of ['A.tar', 'a.tar', 'a.tar'])
      await drive().files.add({ name, parent: folder, content: 'x' });
    const prune = { id: 'n', type: 'cloud-drive-prune', match: 'exact', pattern: 'a.tar', keepNewest: 1 };
    const flow = await load([prune], { url: drive().url });
    const { payload } = passed(await flow.run('n', { payload: folder }));
    const names = (files: unknown): string[] => (files as { name: string }[]).map(({ name }) => name);
    const { kept, removed } = payload as { kept: unknown; removed: unknown };
    [names(kept), names(removed)].should.eql([['a.tar'], ['a.tar']]);
  });

  it('each documented extension selects one of Google’s export formats', async () => {
    const { tables } = await readDocument('docs/nodes.md');
    const { rows } = tables.find(({ head }) => head[0] === 'document')!;
    rows.map(([document]) => document).should.eql(Object.keys(FORMATS));
    for (const [document = '', extensions = ''] of rows) {
      const documented = [...extensions.matchAll(/`(\w+)`/g)].map(([, extension]) => extension!);
      documented.sort().should.eql(Object.keys(FORMATS[document]!).sort(), document);
    }
    const file = await drive().files.add({
      name: 'Document',
      mimeType: 'application/vnd.google-apps.document',
    });
    const flow = await load([{ id: 'n', type: 'cloud-drive-download', output: 'file' }], {
      url: drive().url,
    });
    for (const formats of Object.values(FORMATS)) {
      const exportLinks = Object.fromEntries(
        Object.values(formats).map((type) => [type, 'https://none.example']),
      );
      const body = JSON.stringify({ id: file, exportLinks });
      drive().faults.add({ kind: 'response', body, match: { query: 'exportLinks' }, times: 99 });
      for (const [extension, mimeType] of Object.entries(formats)) {
        await flow.run('n', { payload: file, filename: disk(`out.${extension}`) });
        should(
          drive()
            .requests.to('GET', /export$/)
            .at(-1)
            ?.params.get('mimeType'),
        ).equal(mimeType, extension);
      }
      drive().faults.clear();
    }
  });

  it('docs/signing-in.md leads to the same pages of Google’s console as the dialog, Branding before Publish', async () => {
    const { links } = await readDocument('docs/signing-in.md');
    const pages = ['project', 'api', 'app', 'branding', 'audience', 'newClient', 'clients'] as const;
    const expected = pages.map((page) => consoleUrl(page, ''));
    const documented = links.filter((link) => link.startsWith('https://console.cloud.google.com/'));
    documented.slice(0, 6).should.eql(expected.slice(0, 6));
    documented.should.containDeep(expected);
  });

  it('docs/signing-in.md names the fields of Google’s Branding page as the dialog does', async () => {
    const { tables } = await readDocument('docs/signing-in.md');
    const { rows } = tables.find(({ head }) => head[0] === 'field')!;
    rows.should.have.length(3);
    for (const [field = ''] of rows) textsOf('account').should.containEql(field);
  });

  it('docs/installations.md says how long a part file of another container is left alone', async () => {
    const { text } = await readDocument('docs/installations.md');
    HEARTBEAT_TIMEOUT.should.equal(15_000);
    text.replace(/\s+/g, ' ').should.match(/if that container hasn't written to it for 15 seconds/);
  });
});
