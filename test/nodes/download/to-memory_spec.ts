/** Downloads to the message: docs/nodes/download.md. */
import should from 'should';
import { bytes } from '../../support/content';
import { fileRequests, nodeRunner, useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { localizeBinarySize } from '../../../nodes/shared/runtime/catalogue';
import { failed, passed } from '../../support/node-red/outcome';

const download = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-download', ...more });
const TEXT = 'Grüße, שלום 😀\r\n';

describe('cloud-drive-download to the message', () => {
  useNodeRed();
  const drive = useDrive();
  const run = nodeRunner('download', drive);
  let id: string;

  before(async () => {
    id = await drive().files.add({ name: 'text.txt', content: TEXT, mimeType: 'text/plain' });
  });

  it('download sends a Buffer and the metadata by default, with the other properties of the message', async () => {
    const sent = passed(await run({}, { payload: id, topic: 't', filename: 'mine' }));
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
    it(`download sends a string in the encoding ${encoding || 'utf8 by default'}`, async () => {
      const { payload } = passed(
        await run({ output: 'string', encoding: encoding || undefined }, { payload: id }),
      );
      should(payload).equal(text);
    });
  }

  it('download sends the exact bytes, also of an empty file', async () => {
    const flow = await load([download()], { url: drive().url });
    for (const content of [Buffer.alloc(0), bytes(1_000_001)]) {
      const file = await drive().files.add({ name: 'bytes.gz', content });
      const { payload } = passed(await flow.run('n', { payload: file }));
      should(content.equals(payload as Buffer)).be.true();
    }
  });

  describe('with a size limit', () => {
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
      it(`download ${fits ? 'accepts' : 'rejects'} ${size} bytes with maxSize ${JSON.stringify(maxSize)}`, async () => {
        const file = await drive().files.add({ name: 'large', content: Buffer.alloc(size) });
        const ending = await run({ maxSize }, { payload: file });
        if (fits) should((passed(ending).payload as Buffer).length).equal(size);
        else {
          failed(ending, 'too_large', localizeBinarySize({ bytes: size, round: 'up' }, 'en'));
          fileRequests(drive()).should.matchEach((each: string) => !each.includes('alt=media'));
        }
      });
    }

    it('download rejects a file of more than 256 MiB by default, by the size in its metadata', async () => {
      const body = { id, size: String(256 * MIB + 1), name: 'huge' };
      drive().faults.add({ kind: 'response', match: { path: id }, body });
      failed(await run({}, { payload: id }), 'too_large', 'has 256.1 MiB', 'limit in memory is 256 MiB');
    });
  });

  it('download rejects folders, and documents without an export format', async () => {
    const folder = await drive().files.addFolder('folder');
    const document = await drive().files.add({
      name: 'doc',
      mimeType: 'application/vnd.google-apps.document',
    });
    const flow = await load([download()], { url: drive().url });
    failed(await flow.run('n', { payload: folder }), 'not_downloadable', 'folder');
    // The message lists the formats and names the field for them.
    failed(await flow.run('n', { payload: document }), 'not_downloadable', 'pdf, rtf, txt', 'Export as');
  });

  it('download exports documents to a Buffer or a string', async () => {
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

  it('download downloads a flagged file only if allowed, and acknowledges only after the service has refused it', async () => {
    const flagged = await drive().files.add({ name: 'eicar', content: 'x', abusive: true });
    const flow = await load([download(), { ...download({ acknowledgeAbuse: true }), id: 'acknowledging' }], {
      url: drive().url,
    });
    failed(await flow.run('n', { payload: flagged }), 'not_downloadable', 'malware');
    fileRequests(drive()).should.matchEach((each: string) => !each.includes('acknowledgeAbuse'));
    should(passed(await flow.run('acknowledging', { payload: flagged })).payload).eql(Buffer.from('x'));
    fileRequests(drive())
      .filter((each) => each.includes('acknowledgeAbuse'))
      .should.have.length(1);
    drive().requests.clear();
    passed(await flow.run('acknowledging', { payload: id }));
    fileRequests(drive()).should.matchEach((each: string) => !each.includes('acknowledgeAbuse'));
  });

  it('download fails with checksum_mismatch if the content arrives changed twice', async () => {
    drive().faults.add({ kind: 'corrupt', at: 3, match: { query: 'alt=media' }, times: 2 });
    const flow = await load([download()], { url: drive().url });
    failed(await flow.run('n', { payload: id }), 'checksum_mismatch', 'text.txt');
    passed(await flow.run('n', { payload: id }));
  });

  it('download fails with not_found for a missing file', async () => {
    const { cause } = failed(await run({}, { payload: 'gone' }), 'not_found');
    should(cause).eql({ code: 'not_found', status: 404, reason: 'notFound', retryable: false });
  });

  it('download follows a redirect to another origin without sending the token', async () => {
    drive().faults.add({
      kind: 'redirect',
      location: `${drive().url.replace('127.0.0.1', 'localhost')}/stolen`,
      match: { query: 'alt=media' },
    });
    failed(await run({}, { payload: id }), 'not_found');
    should(drive().requests.last?.headers.authorization).be.undefined();
  });

  it('download continues after a connection reset', async () => {
    const content = bytes(300_000);
    const file = await drive().files.add({ name: 'b', content });
    drive().faults.add({ kind: 'resetResponse', bytes: 100_000, match: { query: 'alt=media' } });
    const { payload } = passed(await run({}, { payload: file }));
    should(content.equals(payload as Buffer)).be.true();
    drive()
      .requests.to('GET')
      .filter(({ headers }) => headers.range !== undefined)
      .should.have.length(1);
  });
});
