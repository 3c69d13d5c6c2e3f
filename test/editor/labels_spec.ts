/** The labels of nodes and of their outputs, which depend on the settings. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { editorDefinition } from '../support/editor/editor-definition';

const LABELS: [node: string, settings: object, label: string][] = [
  ['about', {}, 'about'],
  ['list-folders', {}, 'list folders'],
  ['list-folders', { folder: 'x', folderType: 'msg' }, 'list folders'],
  [
    'list-folders',
    { folder: '1AbC', folderType: 'drive', folderPath: '/Backups/2026' },
    'list folders in 2026',
  ],
  ['list-folders', { folder: '/Backups', folderType: 'str' }, 'list folders in Backups'],
  ['search-files', {}, 'search files'],
  ['search-files', { kind: 'folders' }, 'search folders'],
  ['search-files', { text: '*.tar', textType: 'str' }, 'search: *.tar'],
  ['search-files', { text: 'x'.repeat(40), textType: 'str' }, `search: ${'x'.repeat(23)}…`],
  ['download', {}, 'download → Buffer'],
  ['download', { output: 'string' }, 'download → string'],
  ['download', { output: 'file' }, 'download → file'],
  ['download', { file: '/Backups/a.tar', fileType: 'str' }, 'download: a.tar'],
  ['download', { file: 'https://drive.google.com/file/d/1AbC/view', fileType: 'str' }, 'download → Buffer'],
  ['delete', {}, 'delete permanently'],
  [
    'delete',
    { mode: 'trash', file: '1AbC', fileType: 'drive', filePath: '/Backups/a.tar' },
    'move to trash: a.tar',
  ],
  ['delete', { mode: 'trash' }, 'move to trash'],
  ['upload', {}, 'upload ← message'],
  ['upload', { source: 'file' }, 'upload ← file'],
  ['upload', { targetName: 'first.txt', targetNameType: 'str' }, 'upload: first.txt'],
  ['upload', { source: 'file', filename: 'C:\\data\\a.tar', filenameType: 'str' }, 'upload: a.tar'],
  ['upload', { source: 'payload', filename: '/data/a.tar', filenameType: 'str' }, 'upload ← message'],
  ['create-folder', {}, 'create folder'],
  ['create-folder', { targetName: 'Backups', targetNameType: 'str' }, 'create folder: Backups'],
  ['move', {}, 'move'],
  ['move', { action: 'copy' }, 'copy'],
  ['move', { action: 'restore' }, 'restore from trash'],
  ['move', { file: '/Backups/a.tar', fileType: 'str' }, 'move: a.tar'],
  ['move', { action: 'copy', targetName: 'b.tar', targetNameType: 'str' }, 'copy: b.tar'],
  ['sync', {}, 'sync folder → drive'],
  ['sync', { direction: 'down' }, 'sync drive → folder'],
  ['sync', { localPath: '/home/pi/photos/', localPathType: 'str' }, 'sync: photos → drive'],
  [
    'sync',
    { direction: 'down', folder: '1AbC', folderType: 'drive', folderPath: '/Photos' },
    'sync: Photos → disk',
  ],
  ['restore', {}, 'restore newest'],
  ['restore', { which: 'file' }, 'restore an archive'],
  ['restore', { from: 'snapshots', which: 'id' }, 'restore a snapshot'],
  ['restore', { action: 'check', which: 'number' }, 'check backup'],
  ['restore', { action: 'list' }, 'list entries'],
  ['watch', {}, 'watch'],
  ['watch', { folder: '1AbC', folderType: 'drive', folderPath: '/Backups' }, 'watch Backups'],
  ['prune', {}, 'prune (dry run)'],
  ['prune', { folder: '/Backups', folderType: 'str' }, 'prune (dry run): Backups'],
  ['prune', { dryRun: false }, 'prune to trash'],
  ['prune', { dryRun: false, mode: 'permanent' }, 'prune permanently'],
  ['share', {}, 'share'],
  ['share', { action: 'remove', file: '/Backups/a.tar', fileType: 'str' }, 'stop sharing: a.tar'],
  ['share', { action: 'list' }, 'list access'],
  ['file-info', {}, 'file info'],
  ['file-info', { file: '/Backups/a.tar', fileType: 'str' }, 'file info: a.tar'],
  ['request', {}, 'drive request'],
  ['request', { method: 'DELETE', path: 'files/trash', pathType: 'str' }, 'DELETE files/trash'],
];

const OUTPUTS: [node: string, settings: object, outputs: string[]][] = [
  ['about', {}, ['user and storage quota']],
  ['list-folders', {}, ['folders']],
  ['list-folders', { output: 'each' }, ['one folder per message']],
  ['search-files', {}, ['files found']],
  ['search-files', { output: 'each' }, ['one file per message']],
  ['download', {}, ['content as a Buffer', 'progress']],
  ['download', { output: 'string' }, ['content as a string', 'progress']],
  ['download', { output: 'file' }, ['path on disk', 'progress']],
  ['upload', {}, ['uploaded file', 'progress']],
  ['sync', {}, ['what was synchronized', 'progress']],
  ['restore', {}, ['restored folder', 'progress']],
  ['restore', { action: 'check', output: 'each' }, ['result of the check', 'progress']],
  ['restore', { action: 'list' }, ['entries', 'progress']],
  ['restore', { action: 'list', output: 'each' }, ['one entry per message', 'progress']],
  ['delete', {}, ['result per file']],
  ['create-folder', {}, ['folder']],
  ['move', {}, ['file']],
  ['watch', {}, ['changed file']],
  ['prune', {}, ['files kept and removed']],
  ['share', {}, ['file and its permissions']],
  ['file-info', {}, ['metadata of the file']],
  ['request', {}, ['response of the Drive API']],
];

interface Labels {
  label(this: object): string;
  outputLabels(this: object, index: number): string;
}

/** A node in the editor. Settings that aren't given are missing, as in a flow from an older version. */
function nodeOf(type: string, settings: object): { node: object; labels: Labels } {
  const text = readFileSync(path.join(__dirname, `../../nodes/${type}/locales/en-US/${type}.json`), 'utf8');
  const catalogue = JSON.parse(text) as Record<string, string>;
  const _ = (key: string, params: Record<string, string> = {}): string =>
    String(catalogue[key]).replace(/__(\w+)__/g, (_all, name: string) => String(params[name]));
  return { node: { name: '', _, ...settings }, labels: editorDefinition(type) as unknown as Labels };
}

describe('labels', () => {
  for (const [type, settings, label] of LABELS) {
    it(`${type} with ${JSON.stringify(settings)} has the label “${label}”`, () => {
      const { node, labels } = nodeOf(type, settings);
      should(labels.label.call(node)).equal(label);
      should(labels.label.call({ ...node, name: 'mine' })).equal('mine');
    });
  }

  for (const [settings, label] of [
    [{}, /service_google$/],
    [{ service: 'google', baseUrl: 'https://left.over' }, /service_google$/],
    [{ service: 'custom', baseUrl: 'https://files.example:8443/api' }, /^files\.example:8443$/],
    [{ service: 'custom', baseUrl: '' }, /service_custom$/],
    [{ service: 'custom', baseUrl: '${FILES}' }, /service_custom$/],
    [{ service: 'custom', baseUrl: 'https://a.example', name: 'mine' }, /^mine$/],
  ] as const) {
    it(`an account with ${JSON.stringify(settings)} has a label that matches ${label}`, () => {
      const account = editorDefinition('account') as unknown as Labels;
      account.label.call({ name: '', ...settings }).should.match(label);
    });
  }

  for (const [type, settings, outputs] of OUTPUTS) {
    it(`${type} with ${JSON.stringify(settings)} has the output labels of its mode`, () => {
      const { node, labels } = nodeOf(type, settings);
      const named = outputs.map((_output, index) => labels.outputLabels.call(node, index));
      // Texts of the account's catalogue are represented by their keys here.
      named.map((name) => name.replace(/^.*:output\./, '')).should.eql(outputs);
    });
  }
});
