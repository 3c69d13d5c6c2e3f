/** Texts, names, contents and paths that can't be used: nothing is sent. docs/errors.md, `invalid_input` and `local_file` */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ErrorCode } from '../../../src/index';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';

const node = (type: string, more: object = {}): FlowNode => ({
  id: 'n',
  type: `cloud-drive-${type}`,
  ...more,
});

describe('bad texts, names and contents', () => {
  useNodeRed();
  const drive = useDrive();

  async function refuses(tested: FlowNode, msg: Record<string, unknown>, ...words: string[]): Promise<void> {
    const flow = await load([tested], { url: drive().url });
    failed(await flow.run('n', msg), 'invalid_input', ...words);
    drive().requests.all.should.be.empty();
  }

  const search = node('search-files');
  for (const payload of [undefined, null, true, [], {}, { folderId: 'x' }, { text: 'x' }, { id: 'x' }]) {
    it(`search-files refuses the payload ${JSON.stringify(payload)}: a part is missing`, () =>
      refuses(search, { payload }, 'msg.payload.'));
  }
  for (const text of [null, true, ['x'], { a: 1 }, NaN]) {
    it(`search-files refuses ${JSON.stringify(text)} as text`, () =>
      refuses(search, { payload: { folderId: 'x', text } }, 'text', 'msg.payload.text'));
  }
  for (const payload of ['', { folderId: '', text: '' }]) {
    it(`search-files doesn't list the whole drive for ${JSON.stringify(payload)}`, () =>
      refuses(search, { payload }, 'whole drive'));
  }
  for (const mixed of [{ textType: 'str' }, { folderType: 'str' }]) {
    it(`search-files doesn't list the whole drive where only ${Object.keys(mixed).join()} is str`, () =>
      refuses(node('search-files', { folder: 'f', folderType: 'msg', text: '', textType: 'msg', ...mixed }), {
        f: '',
        payload: 1,
      }));
  }

  for (const payload of [undefined, null, '', '  ', true, {}, []]) {
    it(`create-folder refuses ${JSON.stringify(payload)} as name`, () =>
      refuses(node('create-folder'), { payload }, 'targetName', 'msg.payload'));
  }
  it('create-folder refuses a slash in a name', () =>
    refuses(node('create-folder'), { payload: 'a/b' }, 'targetName'));

  it('upload refuses to go without a name', () => refuses(node('upload'), { payload: 'x' }, 'name'));
  for (const filename of [5, '', '/', null, {}]) {
    it(`upload takes no name from ${JSON.stringify(filename)}`, () =>
      refuses(node('upload'), { payload: 'x', filename }, 'name'));
  }
  it('upload refuses a name that is not there', () =>
    refuses(
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
    it(`upload refuses ${shown} as content`, () =>
      refuses(node('upload'), { payload, filename: 'a.txt' }, 'data', 'msg.payload'));
  }

  for (const metadata of ['no json', '[]', '5', 'null', '{"name":"x"}', '{"parents":[]}', '{"id":"x"}']) {
    it(`upload refuses ${metadata} as metadata`, () =>
      refuses(node('upload', { metadata }), { payload: 'x', filename: 'a.txt' }, 'metadata'));
  }
  it('upload refuses metadata that is not there', () =>
    refuses(
      node('upload', { metadata: 'more', metadataType: 'msg' }),
      { payload: 'x', filename: 'a.txt' },
      'metadata',
      'msg.more',
      'undefined',
    ));

  for (const filename of [undefined, null, 5, '', ' ', 'a\0b', {}]) {
    const shown = JSON.stringify(filename) ?? 'undefined';
    it(`upload refuses ${shown} as a path`, () =>
      refuses(node('upload', { source: 'file' }), { filename }, 'filename', 'msg.filename'));
    it(`download refuses ${shown} as a path`, () =>
      refuses(node('download', { output: 'file' }), { payload: 'x', filename }, 'filename', 'msg.filename'));
  }
});

describe('paths that can not be used', () => {
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

  async function refuses(tested: FlowNode, filename: string, code: ErrorCode = 'local_file') {
    const flow = await load([tested], { url: drive().url });
    failed(await flow.run('n', { payload: 'some-id', filename }), code, filename);
    drive().requests.all.should.be.empty();
  }

  const upload = node('upload', { source: 'file' });
  const download = node('download', { output: 'file' });

  for (const name of ['missing', 'folder', 'fifo', 'plain/below', `${'n'.repeat(300)}`]) {
    it(`upload refuses ${name.slice(0, 20)}`, () => refuses(upload, path.join(folder, name)));
  }
  it('upload refuses a device', () => refuses(upload, '/dev/null'));
  it('upload refuses what it may not read', async function () {
    // Nothing is denied to root but what the system itself keeps.
    if (process.getuid?.() === 0) this.skip();
    await refuses(upload, path.join(folder, 'denied'));
  });

  for (const name of ['fifo', 'plain/below', 'plain/']) {
    it(`download refuses ${name}`, () => refuses(download, path.join(folder, name)));
  }
  it('download refuses a device', () => refuses(download, '/dev/null'));
});
