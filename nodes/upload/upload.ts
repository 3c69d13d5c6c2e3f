/**
 * upload: a Buffer, text, object or a file on disk becomes a file on the drive.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { type Content, type DriveFile, checkSource } from '../../src/index';
import { isPath } from '../shared/runtime/drive-id';
import { flowNode } from '../shared/runtime/flow-node';
import { RESULT_FIELDS } from '../shared/runtime/result-fields';
import type { RunContext } from '../shared/runtime/run-context';
import type { UploadConfig } from './upload.types';

const defaults: UploadConfig = {
  data: 'payload',
  dataType: 'msg',
  filename: 'filename',
  filenameType: 'msg',
  targetName: '',
  targetNameType: 'str',
  folder: 'folderId',
  folderType: 'msg',
  source: 'payload',
  mimeType: '',
  ifExists: 'duplicate',
  createFolders: false,
  keepModifiedTime: true,
  metadata: '',
  metadataType: 'str',
  progress: false,
};

export default (RED: NodeAPI): void =>
  flowNode<UploadConfig>(RED, {
    type: 'cloud-drive-upload',
    // In another folder than is meant it would replace another file, or take it for the one that is there.
    bypassCache: ({ ifExists }) => ifExists !== 'duplicate',
    defaults,
    async run(work) {
      const { client, config, inputs, msg, call } = work;
      const ifExists = inputs.oneOf('ifExists', ['duplicate', 'replace', 'skip', 'rename', 'error']);
      const content = await contentOf(work);
      const name = await nameOf(work);
      const metadata = await metadataOf(work);
      const where = await whereOf(work);
      await checkSource(content);
      const folderId = await inputs.located(where, 'folder', config.createFolders === true);
      const { onProgress, finish } = work.progress({ name });
      const uploaded = await client.upload(
        {
          content,
          name,
          folderId,
          mimeType: config.mimeType.trim(),
          ifExists,
          keepModifiedTime: config.keepModifiedTime !== false,
          metadata,
          fields: `${RESULT_FIELDS},trashed`,
          onProgress,
        },
        call,
      );
      const { created, skipped } = uploaded;
      const file = await outOfTrash(work, where, uploaded.file);
      if (!skipped) finish(file);
      msg.payload = file;
      msg['created'] = created;
      msg['skipped'] = skipped;
      work.send(msg);
    },
  });

async function contentOf({ inputs }: RunContext<UploadConfig>): Promise<Content> {
  if (inputs.oneOf('source', ['payload', 'file']) === 'file') {
    return { path: inputs.localPath('filename', await inputs.value('filename')) };
  }
  const value = await inputs.value('data');
  if (Buffer.isBuffer(value) || typeof value === 'string') return { data: value };
  if (value instanceof Uint8Array) return { data: Buffer.from(value.buffer, value.byteOffset, value.length) };
  if (typeof value === 'number' || typeof value === 'boolean') return { data: String(value) };
  const json = typeof value === 'object' && value !== null ? jsonOf(value) : undefined;
  if (json === undefined) throw inputs.invalid('invalid_input_data', 'data', value);
  return { data: json };
}

/** Undefined where JSON can't express it: a circle, a BigInt. */
function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The name on the drive: what was given, else the base name of the file. */
async function nameOf({ inputs }: RunContext<UploadConfig>): Promise<string> {
  const given = await inputs.text('targetName');
  if (given !== '') return given;
  const filename = await inputs.value('filename');
  const base = typeof filename === 'string' ? path.basename(filename) : '';
  if (base === '') throw inputs.invalid('invalid_input_no_name', 'targetName', given);
  return base;
}

/** Id or path of the folder; `''`, or a message without it: no folder is sent. */
async function whereOf({ inputs }: RunContext<UploadConfig>): Promise<string> {
  const value = await inputs.value('folder');
  if (value === undefined && inputs.isFromMessage('folder')) return '';
  return inputs.idOrPath('folder', 'folder', value);
}

/**
 * What was put into a folder in the trash is in the trash, and one day it would be gone. A path may lead to another
 * folder by now than the one that was remembered.
 * @throws `conflict` where the folder was given by its id
 */
async function outOfTrash(
  { client, config, call }: RunContext<UploadConfig>,
  where: string,
  { trashed, ...file }: DriveFile,
): Promise<DriveFile> {
  if (trashed !== true) return file;
  const [path, cacheEpoch, createMissing] = [where, client.paths.cacheEpoch(), config.createFolders === true];
  const folderId = isPath(where)
    ? await client.paths.resolveFolder({ path, createMissing, cacheEpoch }, call)
    : '';
  const move = { id: file.id, folderId, name: '', ifExists: 'duplicate', restore: true } as const;
  return (await client.move({ ...move, fields: RESULT_FIELDS }, call)).file;
}

/** More members of the file; a text is read as JSON. */
async function metadataOf({ inputs }: RunContext<UploadConfig>): Promise<Record<string, unknown>> {
  const value = await inputs.value('metadata');
  if (value === '') return {};
  const object: unknown = typeof value === 'string' ? parsed(value) : value;
  const isPlain =
    typeof object === 'object' && object !== null && !Array.isArray(object) && !Buffer.isBuffer(object);
  if (!isPlain) throw inputs.invalid('invalid_input_metadata', 'metadata', value);
  const own = ['id', 'name', 'parents', 'mimeType'].find((name) => name in object);
  if (own !== undefined)
    throw inputs.invalid('invalid_input_metadata_own', 'metadata', value, { member: own });
  return object as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
