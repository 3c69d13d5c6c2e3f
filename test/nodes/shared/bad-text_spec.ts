/** Invalid texts, names, contents and paths are rejected without any request: docs/errors.md, `invalid_input`, `local_file`. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ErrorCode } from '../../../src/index';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, node, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';

describe('nodes with invalid texts, names and contents', () => {
  useNodeRed();
  const drive = useDrive();

  async function expectError(
    tested: FlowNode,
    msg: Record<string, unknown>,
    ...words: string[]
  ): Promise<void> {
    const flow = await load([tested], { url: drive().url });
    failed(await flow.run('n', msg), 'invalid_input', ...words);
    drive().requests.all.should.be.empty();
  }

  const search = node('search-files');
  for (const payload of [undefined, null, true, [], {}, { folderId: 'x' }, { text: 'x' }, { id: 'x' }]) {
    it(`search-files rejects the incomplete payload ${JSON.stringify(payload)}`, () =>
      expectError(search, { payload }, 'msg.payload.'));
  }
  for (const text of [null, true, ['x'], { a: 1 }, NaN]) {
    it(`search-files rejects ${JSON.stringify(text)} as text`, () =>
      expectError(search, { payload: { folderId: 'x', text } }, 'text', 'msg.payload.text'));
  }
  for (const payload of ['', { folderId: '', text: '' }]) {
    it(`search-files doesn't list the whole drive for ${JSON.stringify(payload)}`, () =>
      expectError(search, { payload }, 'list the entire drive'));
  }
  for (const mixed of [{ textType: 'str' }, { folderType: 'str' }]) {
    it(`search-files doesn't list the whole drive if only ${Object.keys(mixed).join()} is str`, () =>
      expectError(
        node('search-files', { folder: 'f', folderType: 'msg', text: '', textType: 'msg', ...mixed }),
        {
          f: '',
          payload: 1,
        },
      ));
  }

  for (const payload of [undefined, null, '', '  ', true, {}, []]) {
    it(`create-folder rejects ${JSON.stringify(payload)} as a name`, () =>
      expectError(node('create-folder'), { payload }, 'targetName', 'msg.payload'));
  }
  it('create-folder rejects a slash in a name', () =>
    expectError(node('create-folder'), { payload: 'a/b' }, 'targetName'));

  for (const filename of [undefined, 5, '', '/', null, {}]) {
    it(`upload rejects the filename ${JSON.stringify(filename)}, which contains no name`, () =>
      expectError(node('upload'), { payload: 'x', filename }, '“Save as”', 'filename', 'msg.filename'));
  }
  it('upload names the mistyped property that should have the name of the file', () =>
    expectError(
      node('upload', { filename: 'fielname' }),
      { payload: 'x', filename: 'a.txt' },
      'msg.fielname',
      'undefined',
    ));
  it('upload rejects a missing name property', () =>
    expectError(
      node('upload', { targetName: 'gone', targetNameType: 'msg' }),
      { payload: 'x', filename: 'a.txt' },
      'targetName',
      'msg.gone',
      'undefined',
    ));

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  for (const payload of [undefined, null, { big: 1n }, circle]) {
    const shown = payload === circle ? 'a circle' : payload ? 'a BigInt' : String(payload);
    it(`upload rejects ${shown} as content`, () =>
      expectError(node('upload'), { payload, filename: 'a.txt' }, 'data', 'msg.payload'));
  }

  for (const metadata of ['no json', '[]', '5', 'null', '{"name":"x"}', '{"parents":[]}', '{"id":"x"}']) {
    it(`upload rejects ${metadata} as metadata`, () =>
      expectError(node('upload', { metadata }), { payload: 'x', filename: 'a.txt' }, 'metadata'));
  }
  it('upload rejects metadata that cannot be converted to JSON', () =>
    expectError(
      node('upload', { metadata: 'more', metadataType: 'msg' }),
      { payload: 'x', filename: 'a.txt', more: { properties: { size: 1n } } },
      'metadata (msg.more) can',
    ));

  it('upload rejects a missing metadata property', () =>
    expectError(
      node('upload', { metadata: 'more', metadataType: 'msg' }),
      { payload: 'x', filename: 'a.txt' },
      'metadata',
      'msg.more',
      'undefined',
    ));

  it('upload says where a path contains a NUL character', () =>
    expectError(
      node('upload', { source: 'file' }),
      { filename: '/a\0b' },
      'filename (msg.filename) contains a NUL character (at position 3)',
    ));
  it('upload quotes a path that consists of spaces', () =>
    expectError(node('upload', { source: 'file' }), { filename: '  ' }, "but got '  '"));
  it('backup rejects an array without paths', () =>
    expectError(
      node('backup'),
      { filename: [] },
      'source (msg.filename) is an array without paths (array[0])',
      'Use the path of a folder or file',
    ));

  for (const filename of [undefined, null, 5, '', ' ', 'a\0b', {}]) {
    const shown = JSON.stringify(filename) ?? 'undefined';
    it(`upload rejects ${shown} as a path`, () =>
      expectError(node('upload', { source: 'file' }), { filename }, 'filename', 'msg.filename'));
    it(`download rejects ${shown} as a path`, () =>
      expectError(
        node('download', { output: 'file' }),
        { payload: 'x', filename },
        'filename',
        'msg.filename',
      ));
  }
});

describe('nodes with unusable local paths', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-drive-'));
    await mkdir(path.join(folder, 'folder'));
    await writeFile(path.join(folder, 'plain'), 'x');
    await writeFile(path.join(folder, 'denied'), 'x', { mode: 0 });
    execFileSync('mkfifo', [path.join(folder, 'fifo')]);
  });
  after(() => rm(folder, { recursive: true }));

  async function expectError(tested: FlowNode, filename: string, code: ErrorCode = 'local_file') {
    const flow = await load([tested], { url: drive().url });
    failed(await flow.run('n', { payload: 'some-id', filename }), code, filename);
    drive().requests.all.should.be.empty();
  }

  const upload = node('upload', { source: 'file' });
  const download = node('download', { output: 'file' });

  for (const name of ['missing', 'folder', 'fifo', 'plain/below', `${'n'.repeat(300)}`]) {
    it(`upload rejects the path ${name.slice(0, 20)}`, () => expectError(upload, path.join(folder, name)));
  }
  it('upload rejects a device', () => expectError(upload, '/dev/null'));
  it('upload rejects a file without read permission', async function () {
    // root may read everything except some system files.
    if (process.getuid?.() === 0) this.skip('not as root');
    await expectError(upload, path.join(folder, 'denied'));
  });

  for (const name of ['fifo', 'plain/below', 'plain/']) {
    it(`download rejects the path ${name}`, () => expectError(download, path.join(folder, name)));
  }
  it('download rejects a device', () => expectError(download, '/dev/null'));
});
