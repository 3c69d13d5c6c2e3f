/** Content, name, MIME type and metadata of an upload, as docs/nodes/upload.md describes them. */
import { utimes, writeFile } from 'node:fs/promises';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { nodeRunner, useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, node, runAfterFunction, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const upload = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-upload', ...more });
const RESULT = ['id', 'name', 'mimeType', 'size', 'md5Checksum', 'parents', 'webViewLink'];

describe('upload node', () => {
  useNodeRed();
  const drive = useDrive();
  const run = nodeRunner('upload', drive);
  const disk = useDisk();

  afterEach(() => helper.settings({}));

  /** The drive's record of a result. */
  const storedFile = (payload: unknown) => drive().files.find((payload as { id: string }).id);
  const contentOf = (payload: unknown): Promise<Buffer> =>
    drive().files.contentOf((payload as { id: string }).id);

  for (const service of ['custom', 'google'] as const) {
    it(`upload returns the file from a ${service} service with created and skipped, and keeps the other message properties`, async () => {
      const folder = await drive().files.addFolder('folder');
      const msg = { payload: 'text', filename: 'dir/name.txt', folderId: folder, topic: 't' };
      const sent = passed(await run({}, msg, { service }));
      Object.keys(sent.payload as object)
        .sort()
        .should.eql([...RESULT].sort());
      should(sent).match({
        payload: { name: 'name.txt', mimeType: 'text/plain', size: '4', parents: [folder] },
        filename: 'dir/name.txt',
        folderId: folder,
        topic: 't',
        created: true,
        skipped: false,
      });
      (await contentOf(sent.payload)).toString().should.equal('text');
    });
  }

  for (const [what, data, content] of [
    ['a Buffer', bytes(1_000), bytes(1_000)],
    ['an empty Buffer', Buffer.alloc(0), ''],
    ['a Uint8Array', new Uint8Array([0, 255, 7]), Buffer.from([0, 255, 7])],
    ['a string', 'Grüße 😀', 'Grüße 😀'],
    ['an empty string', '', ''],
    ['a number', 42.5, '42.5'],
    ['zero', 0, '0'],
    ['a boolean', false, 'false'],
    ['an object', { a: [1, 'ü'] }, '{"a":[1,"ü"]}'],
    ['an array', [1, { b: null }], '[1,{"b":null}]'],
  ] as const) {
    it(`upload sends ${what}`, async () => {
      const { payload } = passed(await run({}, { payload: data, filename: 'x' }));
      (await contentOf(payload)).equals(Buffer.from(content as string)).should.be.true();
    });
  }

  const BYTES = 'Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)';
  for (const [code, content] of [
    [BYTES, '0102030405060708'],
    [`${BYTES}.subarray(2, 4)`, '0304'],
    ['Uint8ClampedArray.of(7, 300)', '07ff'],
    ['Uint16Array.of(258, 3)', '02010300'],
    ['Float32Array.of(1)', '0000803f'],
    ['BigInt64Array.of(-1n)', 'ffffffffffffffff'],
    [`${BYTES}.buffer`, '0102030405060708'],
    [`new DataView(${BYTES}.buffer, 1, 2)`, '0203'],
    ['new SharedArrayBuffer(2)', '0000'],
    ['new Uint16Array(new SharedArrayBuffer(4), 2)', '0000'],
    ['new Uint8Array(0)', ''],
    ['Buffer.from("ab").subarray(1)', '62'],
  ] as const) {
    it(`upload sends the bytes of ${code} from a function node`, async () => {
      const func = `return { payload: ${code}, filename: 'x' }`;
      const { payload } = passed(await runAfterFunction(node('upload'), func, { url: drive().url }));
      (await contentOf(payload)).toString('hex').should.equal(content);
    });
  }

  it('upload rejects memory that was given to another thread', async () => {
    for (const payload of [Buffer.from(new ArrayBuffer(2)), new ArrayBuffer(2)]) {
      structuredClone(payload, { transfer: ['buffer' in payload ? payload.buffer : payload] });
      const flow = await load([upload()], { url: drive().url });
      // Node-RED can't copy such a message for a Catch node.
      flow.send('n', { payload, filename: 'x' });
      await flow.status('n', ({ fill }) => fill === 'red');
      flow.logged().join().should.containEql('There is nothing to upload: data (msg.payload) is ');
      await helper.unload();
    }
    drive().requests.all.should.be.empty();
  });

  it('upload sends a large Buffer in a resumable session', async () => {
    const content = bytes(5_500_000);
    const { payload } = passed(await run({}, { payload: content, filename: 'large' }));
    (await contentOf(payload)).equals(content).should.be.true();
    drive()
      .requests.all.some(({ query }) => query.includes('uploadType=resumable'))
      .should.be.true();
  });

  it('upload sends a file from disk by its absolute or relative path', async () => {
    await writeFile(disk('a.csv'), 'a;b');
    helper.settings({ fileWorkingDirectory: disk() });
    const flow = await load([upload({ source: 'file' })], { url: drive().url });
    for (const filename of [disk('a.csv'), 'a.csv']) {
      const sent = passed(await flow.run('n', { payload: 'untouched?', filename }));
      should(sent.payload).match({ name: 'a.csv', mimeType: 'text/csv', size: '3' });
      should(sent['filename']).equal(filename);
      (await contentOf(sent.payload)).toString().should.equal('a;b');
    }
  });

  for (const createFolders of [false, true]) {
    it(`upload reports a missing file on disk before it resolves the folder, with createFolders ${createFolders}`, async () => {
      const filename = `${disk()}/none.tar`;
      const ending = await run({ source: 'file', createFolders }, { filename, folderId: '/Backups/none' });
      const { message } = failed(
        ending,
        'local_file',
        `path to upload doesn't exist: ${filename}`,
        'working directory',
      );
      message.should.not.containEql('folder');
      drive().requests.all.should.be.empty();
    });
  }

  it('upload sends an empty file', async () => {
    await writeFile(disk('empty'), '');
    should(passed(await run({ source: 'file' }, { filename: disk('empty') })).payload).match({ size: '0' });
  });

  describe('with targetName', () => {
    for (const source of ['payload', 'file']) {
      it(`upload names the file after the base name of the path with source ${source}`, async () => {
        await writeFile(disk('base.txt'), 'x');
        should(passed(await run({ source }, { payload: 'x', filename: disk('base.txt') })).payload).match({
          name: 'base.txt',
        });
      });
      it(`upload names the file as typed with source ${source}`, async () => {
        await writeFile(disk('base.txt'), 'x');
        should(
          passed(
            await run(
              { source, targetName: 'typed', targetNameType: 'str' },
              { payload: 'x', filename: disk('base.txt') },
            ),
          ).payload,
        ).match({
          name: 'typed',
        });
      });
    }
    it('upload takes the name from a message property, also if that is a number', async () => {
      const flow = await load([upload({ targetName: 'topic', targetNameType: 'msg' })], { url: drive().url });
      should(passed(await flow.run('n', { payload: 'x', topic: 2042 as unknown as string })).payload).match({
        name: '2042',
      });
      // An empty name falls back to the filename.
      should(passed(await flow.run('n', { payload: 'x', topic: '', filename: 'f.txt' })).payload).match({
        name: 'f.txt',
      });
    });
  });

  describe('with mimeType', () => {
    for (const [settings, name, data, type] of [
      [{}, 'a.json', 'x', 'application/json'],
      [{}, 'a.tar', Buffer.from('x'), 'application/x-tar'],
      [{}, 'nothing', 'x', 'text/plain'],
      [{}, 'nothing', Buffer.from('x'), 'application/octet-stream'],
      [{ mimeType: 'image/x-own' }, 'a.json', 'x', 'image/x-own'],
      [{ mimeType: ' text/plain; charset=utf-8 ' }, 'a.json', 'x', 'text/plain; charset=utf-8'],
    ] as const) {
      it(`upload sends ${name} as ${type} with ${JSON.stringify(settings)}`, async () => {
        should(passed(await run(settings, { payload: data, filename: name })).payload).match({
          mimeType: type,
        });
      });
    }
  });

  describe('with keepModifiedTime', () => {
    const TIME = '2019-03-04T05:06:07.000Z';
    for (const keepModifiedTime of [undefined, true, false]) {
      it(`upload ${keepModifiedTime === false ? 'sends no' : 'keeps the'} modification time with keepModifiedTime ${String(keepModifiedTime)}`, async () => {
        await writeFile(disk('old'), 'x');
        await utimes(disk('old'), new Date(TIME), new Date(TIME));
        const settings = keepModifiedTime === undefined ? {} : { keepModifiedTime };
        const { payload } = passed(await run({ source: 'file', ...settings }, { filename: disk('old') }));
        const { modifiedTime } = storedFile(payload) as unknown as { modifiedTime: string | number };
        const isKept = new Date(modifiedTime).toISOString() === TIME;
        isKept.should.equal(keepModifiedTime !== false);
      });
    }
  });

  describe('with metadata', () => {
    const more = { description: 'mine', appProperties: { run: '7' }, starred: true };
    for (const [what, settings, msg] of [
      ['typed as JSON', { metadata: JSON.stringify(more) }, {}],
      ['from the message', { metadata: 'more', metadataType: 'msg' }, { more }],
      ['from the message as JSON', { metadata: 'more', metadataType: 'msg' }, { more: JSON.stringify(more) }],
    ] as const) {
      it(`upload sends metadata ${what}`, async () => {
        const { payload } = passed(await run(settings, { payload: 'x', filename: 'a', ...msg }));
        should(storedFile(payload)).match(more);
      });
    }
  });

  it('upload reports a full drive and handles the next message', async () => {
    drive().faults.add({ kind: 'error', reason: 'storageQuotaExceeded', match: { path: '/upload/' } });
    const flow = await load([upload()], { url: drive().url });
    failed(await flow.run('n', { payload: 'x', filename: 'a' }), 'quota_exceeded', 'full');
    passed(await flow.run('n', { payload: 'x', filename: 'a' }));
  });
});
