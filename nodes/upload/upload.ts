/**
 * upload: a Buffer, text, object or a file on disk becomes a file on the drive.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import type { Content } from '../../src/index';
import { flowNode, type Work } from '../shared/runtime/flow-node';
import { RESULT_FIELDS } from '../shared/runtime/result-fields';
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

export = (RED: NodeAPI): void =>
  flowNode<UploadConfig>(RED, {
    type: 'cloud-drive-upload',
    defaults,
    async run(work) {
      const { client, config, inputs, msg, call } = work;
      const ifExists = inputs.oneOf('ifExists', ['duplicate', 'replace', 'skip', 'rename', 'error']);
      const content = await contentOf(work);
      const name = await nameOf(work);
      const metadata = await metadataOf(work);
      const folderId = await folderOf(work);
      const { onProgress, finish } = work.progress({ name });
      const { file, created, skipped } = await client.upload(
        {
          content,
          name,
          folderId,
          mimeType: config.mimeType.trim(),
          ifExists,
          keepModifiedTime: config.keepModifiedTime !== false,
          metadata,
          fields: RESULT_FIELDS,
          onProgress,
        },
        call,
      );
      if (!skipped) finish(file);
      msg.payload = file;
      msg['created'] = created;
      msg['skipped'] = skipped;
      work.send(msg);
    },
  });

async function contentOf({ inputs }: Work<UploadConfig>): Promise<Content> {
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
async function nameOf({ inputs }: Work<UploadConfig>): Promise<string> {
  const given = await inputs.text('targetName');
  if (given !== '') return given;
  const filename = await inputs.value('filename');
  const base = typeof filename === 'string' ? path.basename(filename) : '';
  if (base === '') throw inputs.invalid('invalid_input_no_name', 'targetName', given);
  return base;
}

/** `''`, or a message without it: no folder is sent. */
async function folderOf({ config, inputs }: Work<UploadConfig>): Promise<string> {
  const value = await inputs.value('folder');
  if (value === undefined && inputs.isFromMessage('folder')) return '';
  return inputs.located(inputs.idOrPath('folder', 'folder', value), 'folder', config.createFolders === true);
}

/** More members of the file; a text is read as JSON. */
async function metadataOf({ inputs }: Work<UploadConfig>): Promise<Record<string, unknown>> {
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
