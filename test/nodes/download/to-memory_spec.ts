/** What docs/nodes/download.md says of downloads into the message. */
import should from 'should';
import { bytes } from '../../support/content';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { formatSize } from '../../../src/http/format-size';
import { failed, passed } from '../../support/node-red/outcome';

const download = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-download', ...more });
const TEXT = 'Grüße, שלום 😀\r\n';

describe('download node, to memory', () => {
  useNodeRed();
  const drive = useDrive();
  let id: string;

  before(async () => {
    id = await drive().files.add({ name: 'text.txt', content: TEXT, mimeType: 'text/plain' });
  });

  it('gives a Buffer and the metadata by default, and leaves the rest of the message', async () => {
    const flow = await load([download()], { url: drive().url });
    const sent = passed(await flow.run('n', { payload: id, topic: 't', filename: 'mine' }));
    should(Buffer.isBuffer(sent.payload)).be.true();
    should(sent.payload).eql(Buffer.from(TEXT));
    should(sent).match({ topic: 't', filename: 'mine' });
    should(sent['file']).match({
      id,
      name: 'text.txt',
      mimeType: 'text/plain',
      size: String(Buffer.byteLength(TEXT)),
    });
    sent['file']?.should.have.properties('md5Checksum', 'modifiedTime', 'createdTime', 'parents');
  });

  for (const [encoding, text] of [
    ['', TEXT],
    ['utf8', TEXT],
    ['latin1', Buffer.from(TEXT).toString('latin1')],
    ['base64', Buffer.from(TEXT).toString('base64')],
    ['hex', Buffer.from(TEXT).toString('hex')],
    ['utf16le', Buffer.from(TEXT).toString('utf16le')],
  ]) {
    it(`gives a string in the encoding ${encoding || 'of the default'}`, async () => {
      const flow = await load([download({ output: 'string', ...(encoding === '' ? {} : { encoding }) })], {
        url: drive().url,
      });
      const { payload } = passed(await flow.run('n', { payload: id }));
      should(payload).equal(text);
    });
  }

  it('gives the bytes of an empty file and of an odd one as they are', async () => {
    const flow = await load([download()], { url: drive().url });
    for (const content of [Buffer.alloc(0), bytes(1_000_001)]) {
      const file = await drive().files.add({ name: 'bytes.gz', content });
      const { payload } = passed(await flow.run('n', { payload: file }));
      should(content.equals(payload as Buffer)).be.true();
    }
  });

  describe('with a limit of size', () => {
    const MIB = 1024 * 1024;
    const sizes: [unknown, number, boolean][] = [
      [1, MIB, true],
      [1, MIB + 1, false],
      ['1', MIB + 1, false],
      [0.5, MIB / 2 + 1, false],
      [0, 2 * MIB, true],
      ['', 2 * MIB, true],
    ];
    for (const [maxSize, size, fits] of sizes) {
      it(`${JSON.stringify(maxSize)} ${fits ? 'takes' : 'refuses'} ${size} bytes`, async () => {
        const file = await drive().files.add({ name: 'large', content: Buffer.alloc(size) });
        const flow = await load([download({ maxSize })], { url: drive().url });
        const ending = await flow.run('n', { payload: file });
        if (fits) should((passed(ending).payload as Buffer).length).equal(size);
        else {
          failed(ending, 'too_large', formatSize(size, 'up'));
          // Before it is fetched.
          fileRequests(drive()).should.matchEach((each: string) => !each.includes('alt=media'));
        }
      });
    }

    it('of 256 by default: the size in the metadata is enough', async () => {
      const body = { id, size: String(256 * MIB + 1), name: 'huge' };
      drive().faults.add({ kind: 'response', match: { path: id }, body });
      const flow = await load([download()], { url: drive().url });
      failed(await flow.run('n', { payload: id }), 'too_large', '256.1 MiB; 256 MiB are');
    });
  });

  it('refuses folders and documents without content', async () => {
    const folder = await drive().files.addFolder('folder');
    const document = await drive().files.add({
      name: 'doc',
      mimeType: 'application/vnd.google-apps.document',
    });
    const flow = await load([download()], { url: drive().url });
    failed(await flow.run('n', { payload: folder }), 'not_downloadable', 'folder');
    // The formats are there, and where to choose one.
    failed(await flow.run('n', { payload: document }), 'not_downloadable', 'pdf, rtf, txt', 'Export as');
  });

  it('exports documents, as text too', async () => {
    const mimeType = 'application/vnd.google-apps.document';
    const document = await drive().files.add({ name: 'doc', mimeType, content: TEXT });
    const nodes = [
      download({ output: 'string', exportFormat: ' txt ' }),
      { ...download({ exportFormat: 'xls' }), id: 'other' },
    ];
    const flow = await load(nodes, { url: drive().url });
    should(passed(await flow.run('n', { payload: document }))).match({
      payload: TEXT,
      file: { name: 'doc' },
    });
    failed(await flow.run('other', { payload: document }), 'not_downloadable', '“xls”', 'pdf, rtf, txt');
  });

  it('takes a flagged file only if it may, and says so only after the service has asked', async () => {
    const flagged = await drive().files.add({ name: 'eicar', content: 'x', abusive: true });
    const flow = await load([download(), { ...download({ acknowledgeAbuse: true }), id: 'brave' }], {
      url: drive().url,
    });
    failed(await flow.run('n', { payload: flagged }), 'not_downloadable', 'malware');
    fileRequests(drive()).should.matchEach((each: string) => !each.includes('acknowledgeAbuse'));
    should(passed(await flow.run('brave', { payload: flagged })).payload).eql(Buffer.from('x'));
    fileRequests(drive())
      .filter((each) => each.includes('acknowledgeAbuse'))
      .should.have.length(1);
    drive().requests.clear();
    passed(await flow.run('brave', { payload: id }));
    fileRequests(drive()).should.matchEach((each: string) => !each.includes('acknowledgeAbuse'));
  });

  it('refuses what arrived changed', async () => {
    drive().faults.add({ kind: 'corrupt', at: 3, match: { query: 'alt=media' } });
    const flow = await load([download()], { url: drive().url });
    failed(await flow.run('n', { payload: id }), 'checksum_mismatch', 'text.txt');
    passed(await flow.run('n', { payload: id }));
  });

  it('says that a file is not there', async () => {
    const flow = await load([download()], { url: drive().url });
    const { cause } = failed(await flow.run('n', { payload: 'gone' }), 'not_found');
    should(cause).eql({ code: 'not_found', status: 404, reason: 'notFound', retryable: false });
  });

  it('follows a redirect to another origin, without the token there', async () => {
    const flow = await load([download()], { url: drive().url });
    drive().faults.add({
      kind: 'redirect',
      location: `${drive().url.replace('127.0.0.1', 'localhost')}/stolen`,
      match: { query: 'alt=media' },
    });
    failed(await flow.run('n', { payload: id }), 'not_found');
    should(drive().requests.last?.headers.authorization).be.undefined();
  });

  it('goes on where the line broke', async () => {
    const content = bytes(300_000);
    const file = await drive().files.add({ name: 'b', content });
    drive().faults.add({ kind: 'resetResponse', bytes: 100_000, match: { query: 'alt=media' } });
    const flow = await load([download()], { url: drive().url });
    const { payload } = passed(await flow.run('n', { payload: file }));
    should(content.equals(payload as Buffer)).be.true();
    drive()
      .requests.to('GET')
      .filter(({ headers }) => headers.range !== undefined)
      .should.have.length(1);
  });
});
