/** Each flow node's dialog in the real editor: filled, saved, opened again with the same values. */
import type { Browser } from 'playwright-core';
import 'should';
import { startBrowser } from '../support/browser';
import { EditorPage } from '../support/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red';

type Value = string | boolean | { type: string; value: string };

/** What a person sets in each dialog; all of it must come back. */
const FILLED: Record<string, Record<string, Value>> = {
  about: { name: 'who', fields: 'user' },
  'list-folders': {
    folder: { type: 'flow', value: 'where' },
    output: 'each',
    limit: '25',
    orderBy: 'name',
    fields: 'id,name',
  },
  'search-files': {
    folder: { type: 'drive', value: '1AbC-folder' },
    text: { type: 'str', value: 'backup' },
    kind: 'any',
    includeTrashed: true,
    output: 'each',
    limit: '5',
    orderBy: 'modifiedTime desc',
    fields: 'id',
  },
  download: {
    file: { type: 'drive', value: '1AbC-file' },
    output: 'file',
    filename: { type: 'jsonata', value: '"/tmp/" & topic' },
    overwrite: 'rename',
    acknowledgeAbuse: true,
    progress: true,
  },
  delete: { file: { type: 'global', value: 'old' }, mode: 'trash', missing: 'ignore', allowFolders: true },
  upload: {
    source: 'file',
    filename: { type: 'env', value: 'BACKUP_FILE' },
    targetName: { type: 'msg', value: 'topic' },
    folder: { type: 'drive', value: '1AbC-folder' },
    ifExists: 'replace',
    mimeType: 'application/zip',
    metadata: { type: 'json', value: '{"description":"nightly"}' },
    keepModifiedTime: false,
    progress: true,
  },
  'create-folder': {
    targetName: { type: 'str', value: 'Backups' },
    folder: { type: 'msg', value: 'parent' },
  },
};

const NODES = Object.keys(FILLED);
const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
  // As an old flow has it: every property is missing, which means the defaults.
  ...NODES.map((node, index) => ({
    ...{ id: node, type: `cloud-drive-${node}`, z: 'tab', account: 'account', wires: [[]] },
    ...{ x: 300, y: 60 + index * 60 },
  })),
];

describe('dialogs of the flow nodes', function () {
  this.timeout(60_000);
  let browser: Browser;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    nodeRed = await startNodeRed();
    await nodeRed.deploy(FLOW);
    browser = await startBrowser();
    editor = await EditorPage.open(browser, nodeRed.url);
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.close();
  });

  for (const node of NODES) {
    it(`${node} keeps what is set`, async () => {
      await editor.openNode(node);
      for (const [property, value] of Object.entries(FILLED[node]!)) await set(editor, property, value);
      (await editor.page.locator('.input-error').count()).should.equal(0);
      await editor.closeDialog('#node-dialog-ok');
      const saved = await editor.exported(node);
      saved.should.containEql(flat(FILLED[node]!));
      await editor.openNode(node);
      for (const [property, value] of Object.entries(FILLED[node]!)) {
        (await shown(editor, property)).should.eql(value, property);
      }
      await editor.closeDialog('#node-dialog-ok');
      (await editor.exported(node)).should.eql(saved);
    });
  }

  it('gives transfers a second output while progress is ticked', async () => {
    for (const node of ['download', 'upload']) {
      (await editor.exported(node)).should.containEql({ outputs: 2, wires: [[], []] });
      await editor.openNode(node);
      await editor.field('progress').uncheck();
      await editor.closeDialog('#node-dialog-ok');
      (await editor.exported(node)).should.containEql({ outputs: 1, wires: [[]] });
    }
  });

  it('shows only the rows that matter for the choice', async () => {
    await editor.openNode('download');
    const rows: Record<string, string[]> = {
      buffer: ['maxSize'],
      string: ['encoding', 'maxSize'],
      file: ['filename', 'overwrite'],
    };
    for (const [output, expected] of Object.entries(rows)) {
      await editor.field('output').selectOption(output);
      const visible = await editor.visibleRows(['encoding', 'maxSize', 'filename', 'overwrite']);
      visible.should.eql(expected);
    }
    await editor.closeDialog('#node-dialog-cancel');
    await editor.openNode('upload');
    await editor.field('source').selectOption('payload');
    (await editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql(['data']);
    await editor.field('source').selectOption('file');
    (await editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql([
      'filename',
      'keepModifiedTime',
    ]);
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('marks a number that is none, or below 0', async () => {
    await editor.openNode('list-folders');
    for (const [value, isWrong] of [
      ['-1', true],
      ['many', true],
      ['0', false],
      ['', false],
      ['${LIMIT}', false],
    ] as const) {
      await editor.field('limit').fill(value);
      await editor.field('limit').dispatchEvent('change');
      const isMarked = (await editor.field('limit').getAttribute('class'))?.includes('input-error') ?? false;
      isMarked.should.equal(isWrong, value);
    }
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('has a name for each field', async () => {
    for (const node of NODES) {
      await editor.openNode(node);
      (await editor.namelessFields()).should.eql([], node);
      await editor.closeDialog('#node-dialog-cancel');
    }
  });

  it('deploys, and has the same values after a reload', async () => {
    const before = await Promise.all(NODES.map((node) => editor.exported(node)));
    await editor.deploy();
    await editor.reload();
    (await Promise.all(NODES.map((node) => editor.exported(node)))).should.eql(before);
    editor.errors.should.eql([]);
  });
});

async function set(editor: EditorPage, property: string, value: Value): Promise<void> {
  const field = editor.field(property);
  if (typeof value === 'object') await editor.setTyped(property, value);
  else if (typeof value === 'boolean') await field.setChecked(value);
  else if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value);
  else await field.fill(value);
}

async function shown(editor: EditorPage, property: string): Promise<Value> {
  const field = editor.field(property);
  const isTyped = (await editor.page.locator(`#node-input-${property}Type`).count()) > 0;
  if (isTyped) return editor.typed(property);
  const isBox = (await field.getAttribute('type')) === 'checkbox';
  return isBox ? field.isChecked() : field.inputValue();
}

/** As the flow file has it: the type of a field is a property of its own. */
function flat(values: Record<string, Value>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([property, value]) =>
      typeof value === 'object'
        ? [
            [property, value.value],
            [`${property}Type`, value.type],
          ]
        : [[property, value]],
    ),
  );
}
