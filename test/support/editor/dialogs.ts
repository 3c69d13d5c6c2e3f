/** Sets and reads the settings of each flow node's dialog in the real editor. */
import 'should';
import type { EditorPage } from './editor-page';

type Value = string | boolean | { type: string; value: string };

/** Settings of each dialog, none of them the default. */
const SETTINGS: Record<string, Record<string, Value>> = {
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
    match: 'glob',
    caseSensitive: true,
    kind: 'any',
    query: 'starred=true',
    includeTrashed: true,
    recursive: true,
    maxDepth: '3',
    modifiedAfter: { type: 'str', value: '30 days' },
    modifiedBefore: { type: 'str', value: '2026-11-21' },
    minSize: { type: 'msg', value: 'least' },
    maxSize: { type: 'str', value: '1000' },
    mimeType: { type: 'str', value: 'image/*' },
    sort: 'newest',
    output: 'each',
    limit: { type: 'str', value: '5' },
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
    convertTo: 'document',
    metadata: { type: 'json', value: '{"description":"nightly"}' },
    keepModifiedTime: false,
    progress: true,
  },
  backup: {
    source: { type: 'str', value: '/data' },
    folder: { type: 'drive', value: '1AbC-folder' },
    targetName: { type: 'str', value: '{host}-{date}' },
    encryption: 'recipients',
    recipients: 'age1d7tfe93h80x6akt6xvvtjx9yhznymrjweeeklxfxt67wd9pl29kqwjvn5y',
    keepNewest: '3',
    keepDays: '2',
    daily: '7',
    weekly: '4',
    monthly: '12',
    yearly: '1',
    exclude: 'node_modules\n*.log',
    compression: 'none',
    createFolders: false,
    minimum: '2',
    mode: 'permanent',
    jitter: '60',
    progress: true,
  },
  restore: {
    folder: { type: 'drive', value: '1AbC-folder' },
    which: 'date',
    select: { type: 'str', value: '2026-11-22' },
    localPath: { type: 'env', value: 'RESTORE_TO' },
    stripTop: true,
    allowIncomplete: true,
    overwrite: 'replace',
    pattern: 'home-*',
    include: '*.json\nhome/docs',
    maxRatio: '5',
    progress: true,
  },
  sync: {
    direction: 'down',
    localPath: { type: 'env', value: 'PHOTOS' },
    folder: { type: 'drive', value: '1AbC-folder' },
    extra: 'delete',
    dryRun: true,
    include: '*.jpg\nraw/**',
    exclude: 'cache/**',
    maxRemovals: '7',
    compare: 'checksum',
    symlinks: 'follow',
    exportFormat: 'pdf',
    jitter: '60',
    progress: true,
  },
  'create-folder': {
    targetName: { type: 'str', value: 'Backups' },
    folder: { type: 'msg', value: 'parent' },
  },
  move: {
    action: 'restore',
    file: { type: 'drive', value: '1AbC-file' },
    folder: { type: 'str', value: '/Photos/2026' },
    targetName: { type: 'msg', value: 'topic' },
    createFolders: true,
    ifExists: 'rename',
  },
  prune: {
    folder: { type: 'drive', value: '1AbC-folder' },
    match: 'regex',
    pattern: '^backup-.*\\.tar$',
    keepNewest: '7',
    keepDays: '2',
    daily: '6',
    weekly: '4',
    monthly: '12',
    yearly: '3',
    minimum: '3',
    dateFrom: 'name',
    timeZone: 'Europe/Berlin',
    mode: 'permanent',
    dryRun: false,
  },
  share: {
    with: 'user',
    file: { type: 'drive', value: '1AbC-file' },
    role: 'writer',
    to: { type: 'str', value: 'ann@example.com' },
    notify: true,
    message: 'Look!',
    expires: '7 days',
  },
  'file-info': {
    file: { type: 'drive', value: '1AbC-file' },
    changes: { type: 'json', value: '{"starred":true}' },
    fields: '*',
  },
  request: {
    method: 'POST',
    path: { type: 'str', value: '/files/1AbC-file/comments' },
    query: { type: 'json', value: '{"fields":"*"}' },
    body: { type: 'msg', value: 'payload' },
    repeatable: true,
  },
  watch: {
    folder: { type: 'drive', value: '1AbC-folder' },
    recursive: true,
    interval: '300',
    start: 'all',
  },
};

export const NODES = Object.keys(SETTINGS);
export const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
  // As in a flow from an older version: all properties are missing, so the defaults apply.
  ...NODES.map((node, index) => ({
    ...{ id: node, type: `cloud-drive-${node}`, z: 'tab', account: 'account', wires: [[]] },
    ...{ x: 300, y: 60 + index * 60 },
  })),
];

async function setField(editor: EditorPage, property: string, value: Value): Promise<void> {
  const field = editor.field(property);
  if (typeof value === 'object') await editor.setTyped(property, value);
  else if (typeof value === 'boolean') await field.setChecked(value);
  else if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value);
  else await field.fill(value);
}

async function readField(editor: EditorPage, property: string): Promise<Value> {
  const field = editor.field(property);
  const isTyped = (await editor.page.locator(`#node-input-${property}Type`).count()) > 0;
  if (isTyped) return editor.typed(property);
  const isCheckbox = (await field.getAttribute('type')) === 'checkbox';
  return isCheckbox ? field.isChecked() : field.inputValue();
}

/** As in the flow file, where the type of a typed input is a separate property. */
function toProperties(values: Record<string, Value>): Record<string, unknown> {
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

/** Fills the open dialog. */
async function fill(editor: EditorPage, values: Record<string, Value>): Promise<void> {
  for (const [property, value] of Object.entries(values)) await setField(editor, property, value);
}

/** Sets everything in a node's dialog, and expects it in the flow and in the reopened dialog. */
export async function expectSettingsSaved(editor: EditorPage, node: string): Promise<void> {
  const values = SETTINGS[node]!;
  await editor.openNode(node);
  await editor.openSections();
  await fill(editor, values);
  (await editor.page.locator('.input-error').count()).should.equal(0);
  await editor.closeDialog('#node-dialog-ok');
  // The editor moves a node when it draws its new label, which may be later.
  const { x: _drawnAt, ...saved } = await editor.exported(node);
  saved.should.containEql(toProperties(values));
  await editor.openNode(node);
  for (const [property, value] of Object.entries(values)) {
    (await readField(editor, property)).should.eql(value, property);
  }
  await editor.closeDialog('#node-dialog-ok');
  const { x: _drawnNow, ...savedAgain } = await editor.exported(node);
  savedAgain.should.eql(saved);
}
