/** Invalid folders and files are rejected without any request: docs/nodes.md, "What goes in". */
import should from 'should';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, node, useNodeRed } from '../../support/node-red/load';
import { endings, failed, passed } from '../../support/node-red/outcome';

/** A node, the property under test, its source, and a message with a value of it. */
interface Tested {
  node: FlowNode;
  property: string;
  source: string;
  message: (value: unknown) => Record<string, unknown>;
}

const FOLDERS: Tested[] = [
  {
    node: node('list-folders'),
    property: 'folder',
    source: 'msg.payload',
    message: (payload) => ({ payload }),
  },
  {
    node: node('search-files'),
    property: 'folder',
    source: 'msg.payload.folderId',
    message: (folderId) => ({ payload: { folderId, text: 'x' } }),
  },
  {
    node: node('upload'),
    property: 'folder',
    source: 'msg.folderId',
    message: (folderId) => ({ payload: 'x', filename: 'a.txt', folderId }),
  },
  {
    node: node('create-folder', { folder: 'where', folderType: 'msg' }),
    property: 'folder',
    source: 'msg.where',
    message: (where) => ({ payload: 'name', where }),
  },
];

const FILES: Tested[] = [
  { node: node('download'), property: 'file', source: 'msg.payload', message: (payload) => ({ payload }) },
  { node: node('delete'), property: 'file', source: 'msg.payload', message: (payload) => ({ payload }) },
];

/** Invalid values, and how the error summarizes them. */
const BAD: [unknown, string][] = [
  [undefined, 'undefined'],
  [null, 'null'],
  [5, 'number 5'],
  [1715940000000, 'number'],
  [NaN, 'number NaN'],
  [true, 'boolean true'],
  [[], 'an empty array'],
  [['one', 'two'], 'array[2]'],
  [[['one']], 'array[1]'],
  [{}, '{}'],
  [{ name: 'no id', size: '1' }, '{name, size}'],
  [{ id: 7 }, '{id}'],
  [Buffer.from('id'), 'Buffer[2]'],
  [new Date(0), 'Date'],
  ['  ', ''],
  ['a/path', ''],
  ['a\nb', ''],
  ['..', ''],
  ['.', ''],
];

describe('nodes with invalid folders and files', () => {
  useNodeRed();
  const drive = useDrive();

  /** Expects an error, then that the nodes handle further messages. */
  async function expectError({ node, property, source, message }: Tested, value: unknown, word: string) {
    const flow: LoadedFlow = await load([node, { id: 'about', type: 'cloud-drive-about' }], {
      url: drive().url,
    });
    const ending = await flow.run('n', message(value));
    const { cause } = failed(ending, 'invalid_input', property, source, word);
    should(cause).eql({ code: 'invalid_input', retryable: false });
    drive().requests.all.should.be.empty();
    failed(await flow.run('n', message(value)), 'invalid_input');
    passed(await flow.run('about'));
    endings(flow, ending.msg._msgid).should.eql({ complete: 0, caught: 1 });
  }

  for (const tested of [...FOLDERS, ...FILES]) {
    const { type } = tested.node;
    for (const [value, word] of BAD) {
      // For upload, a missing property means the root.
      if (type === 'cloud-drive-upload' && value === undefined) continue;
      // delete accepts arrays; their items are tested below.
      if (type === 'cloud-drive-delete' && Array.isArray(value) && value.length > 0) continue;
      const label = typeof value === 'string' ? JSON.stringify(value) : word;
      it(`${type} rejects ${label} as ${tested.property}`, () => expectError(tested, value, word));
    }
  }

  for (const tested of FILES) {
    for (const value of [
      '',
      [''],
      { fileId: '' },
      { folderId: 'x' },
      'https://drive.google.com/file/d/x/view',
    ]) {
      it(`${tested.node.type} rejects ${JSON.stringify(value)} as file`, () =>
        expectError(tested, value, ''));
    }
  }

  for (const value of [
    ['one', null],
    ['one', ''],
    [{ id: 'one' }, { name: 'x' }],
    ['one', 2],
  ]) {
    it(`delete rejects the array ${JSON.stringify(value)} before it deletes anything`, () =>
      expectError(FILES[1] as Tested, value, ''));
  }

  it('the error for an invalid file explains what to do', async () => {
    const flow = await load([node('list-folders')], { url: drive().url });
    const { message } = failed(await flow.run('n', { payload: 1715940000000 }), 'invalid_input');
    message.should.match(/No request was made\. .*folderId or id|folderId or id.*No request was made\. /);
    message.should.containEql('1715940000000');
  });
});
