/** The flow of the campaign: a node for each configuration. */
import type { NodeMessage } from 'node-red';
import type { FlowNode } from '../support/node-red/load';
import type { IfExists, Operation, Relocation } from './operations';
import { PRUNED, PRUNES, type PruneRules, daysSince } from './prune-rules';

const IF_EXISTS: IfExists[] = ['duplicate', 'replace', 'skip', 'rename', 'error'];
const TRANSFER = { progress: true, outputs: 2 };
const UPLOAD = { ...TRANSFER, targetName: 'targetName', targetNameType: 'msg', createFolders: true };
const RELOCATIONS: Relocation['kind'][] = ['move', 'copy', 'restore'];
const MOVE = {
  folder: 'folderId',
  folderType: 'msg',
  targetName: 'targetName',
  targetNameType: 'msg',
  createFolders: true,
};
const PRUNE = { pattern: PRUNED, timeZone: 'UTC' };
/** Other encodings would change binary content. */
const ENCODING = 'base64';

const node = (id: string, name: string, properties: object = {}): FlowNode => ({
  id,
  type: `cloud-drive-${name}`,
  ...properties,
});

/** @param now the nodes' time in milliseconds since 1970 */
export const campaignNodes = (now: number): FlowNode[] => [
  node('about', 'about'),
  node('list-array', 'list-folders'),
  node('list-each', 'list-folders', { output: 'each' }),
  node('search-array', 'search-files'),
  node('search-each', 'search-files', { output: 'each' }),
  node('download-buffer', 'download', TRANSFER),
  node('download-string', 'download', { ...TRANSFER, output: 'string', encoding: ENCODING }),
  node('download-file', 'download', { ...TRANSFER, output: 'file' }),
  node('delete', 'delete'),
  node('trash', 'delete', { mode: 'trash' }),
  ...IF_EXISTS.flatMap((ifExists) => [
    node(`upload-payload-${ifExists}`, 'upload', { ...UPLOAD, ifExists }),
    node(`upload-file-${ifExists}`, 'upload', { ...UPLOAD, ifExists, source: 'file' }),
  ]),
  ...IF_EXISTS.flatMap((ifExists) =>
    RELOCATIONS.map((action) => node(`${action}-${ifExists}`, 'move', { ...MOVE, action, ifExists })),
  ),
  ...PRUNES.map((rules, index) =>
    node(`prune-${index}`, 'prune', { ...PRUNE, ...ruleProperties(rules, now) }),
  ),
  node('createFolder', 'create-folder', { folder: 'folderId', folderType: 'msg' }),
];

function ruleProperties({ youngerThan, ...rules }: PruneRules, now: number): object {
  return { ...rules, keepDays: daysSince(youngerThan, now) };
}

/** The message for an operation, and the node that receives it. */
export function messageFor(operation: Operation): { to: string; msg: NodeMessage } {
  switch (operation.kind) {
    case 'about':
      return { to: 'about', msg: {} };
    case 'list':
      return { to: `list-${outputMode(operation)}`, msg: { payload: operation.folder } };
    case 'search': {
      const { folder: folderId, text } = operation;
      return { to: `search-${outputMode(operation)}`, msg: { payload: { folderId, text } } };
    }
    case 'delete':
    case 'trash': {
      const { kind, ids } = operation;
      return { to: kind, msg: { payload: ids.length === 1 ? ids[0] : ids } };
    }
    case 'createFolder':
      return { to: 'createFolder', msg: { payload: operation.name, folderId: operation.folder } };
    case 'upload': {
      const { folder, folderPath, name, content, path, ifExists } = operation;
      const source = path === undefined ? 'payload' : 'file';
      const to = `upload-${source}-${ifExists}`;
      const payload = path === undefined ? content : '';
      return { to, msg: { payload, filename: path, targetName: name, folderId: folderPath?.path ?? folder } };
    }
    case 'download':
      return {
        to: `download-${operation.output}`,
        msg: { payload: operation.id, filename: operation.path },
      };
    case 'move':
    case 'copy':
    case 'restore': {
      const { kind, id, path: payload = id, folder, folderPath, name: targetName, ifExists } = operation;
      return {
        to: `${kind}-${ifExists}`,
        msg: { payload, folderId: folderPath?.path ?? folder, targetName },
      };
    }
    case 'prune':
      return {
        to: `prune-${operation.rules}`,
        msg: { payload: operation.folderPath?.path ?? operation.folder },
      };
    case 'metadata':
      throw new Error('no node only reads metadata');
  }
}

function outputMode({ each }: { each: boolean }): string {
  return each ? 'each' : 'array';
}

/** The content in the payload of a download. */
export function contentIn(payload: unknown): Buffer {
  return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload), ENCODING);
}
