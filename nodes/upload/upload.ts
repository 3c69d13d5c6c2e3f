/**
 * upload: creates or updates a file on the drive from a Buffer, string, object or file on disk.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import path from 'node:path';
import { types } from 'node:util';
import type { NodeAPI } from 'node-red';
import { CONVERSIONS, type Content, type DriveFile, type UploadRequest, checkSource } from '../../src/index';
import { IF_EXISTS, RESERVED_FIELDS, RESULT_FIELDS } from '../shared/contract/defaults';
import { isPath } from '../shared/runtime/id-or-path';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type UploadConfig } from './upload.defaults';

export default (RED: NodeAPI): void =>
  flowNode<UploadConfig>(RED, {
    type: 'cloud-drive-upload',
    // With an outdated folder id, the upload would replace or skip a file in the wrong folder.
    bypassCache: ({ ifExists }) => ifExists !== 'duplicate',
    defaults: DEFAULTS,
    async run(context) {
      const { client, inputs, msg, call, results } = context;
      const request = await readRequest(context);
      const createMissing = inputs.flag('createFolders');
      const folder = await readTargetFolder(context);
      await checkSource(request.content);
      const folderId = await inputs.resolveId(folder, 'folder', createMissing);
      const { onProgress, transferred, finish } = context.trackProgress({ name: request.name });
      const result = await client.upload({ folderId, onProgress, ...request }, call);
      const { created, skipped } = result;
      const file = await restoreFromTrash(context, folder, result.file);
      if (!skipped) finish(file);
      msg.payload = file;
      msg['created'] = created;
      msg['skipped'] = skipped;
      context.send(msg);
      return {
        text: skipped ? results.file(file, 'skipped') : results.transferred(file, transferred()),
      };
    },
  });

type Request = Omit<UploadRequest, 'folderId' | 'onProgress'>;

async function readRequest(context: RunContext<UploadConfig>): Promise<Request> {
  const { inputs } = context;
  const ifExists = inputs.oneOf('ifExists', IF_EXISTS);
  const convertTo = inputs.oneOf('convertTo', ['', ...CONVERSIONS]) || undefined;
  return {
    ifExists,
    convertTo,
    mimeType: inputs.settingText('mimeType'),
    keepModifiedTime: inputs.flag('keepModifiedTime'),
    content: await readContent(context),
    name: await readName(context),
    metadata: await readMetadata(context),
    fields: `${RESULT_FIELDS},trashed`,
  };
}

async function readContent({ inputs }: RunContext<UploadConfig>): Promise<Content> {
  if (inputs.oneOf('source', ['payload', 'file']) === 'file') {
    return { path: inputs.localPath('filename', await inputs.value('filename')) };
  }
  const value = await inputs.content('data');
  if (['string', 'number', 'boolean'].includes(typeof value)) return { data: String(value) };
  const isBytes = ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value);
  const isJson = !isBytes && typeof value === 'object' && value !== null;
  const data = isBytes ? bytesOf(value) : isJson ? inputs.toJson('data', value) : undefined;
  if (data === undefined) throw inputs.invalid('invalid_input_data', 'data', value);
  return { data };
}

/** @returns undefined if the memory was given to another thread */
function bytesOf(value: ArrayBufferView | ArrayBufferLike): Buffer | undefined {
  try {
    if (!ArrayBuffer.isView(value)) return Buffer.from(value);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  } catch {
    return undefined;
  }
}

/** @returns the configured name on the drive, else the base name of the file */
async function readName({ inputs }: RunContext<UploadConfig>): Promise<string> {
  const name = await inputs.text('targetName');
  if (name !== '') return name;
  const filename = await inputs.value('filename');
  const base = typeof filename === 'string' ? path.basename(filename) : '';
  if (base === '') throw inputs.invalid('invalid_input_no_file_name', 'filename', filename);
  return base;
}

/** @returns the id or path of the folder; `''` for the root, also if the message doesn't have the property */
async function readTargetFolder({ inputs }: RunContext<UploadConfig>): Promise<string> {
  const value = await inputs.value('folder');
  if (value === undefined && inputs.isFromMessage('folder')) return '';
  return inputs.idOrPath('folder', 'folder', value);
}

/**
 * A file that was uploaded into a trashed folder is in the trash itself, and would be deleted with it. The path may
 * have been cached before the folder was trashed, so it is resolved again and the file moved there.
 * @throws `conflict` if the folder was given by its id
 */
async function restoreFromTrash(
  { client, inputs, call }: RunContext<UploadConfig>,
  folder: string,
  { trashed, ...file }: DriveFile,
): Promise<DriveFile> {
  if (trashed !== true) return file;
  const cacheEpoch = client.paths.cacheEpoch();
  const createMissing = inputs.flag('createFolders');
  const folderId = isPath(folder)
    ? await client.paths.resolveFolder({ path: folder, createMissing, cacheEpoch }, call)
    : '';
  const move = { id: file.id, folderId, name: '', ifExists: 'duplicate', restore: true } as const;
  return (await client.move({ ...move, fields: RESULT_FIELDS }, call)).file;
}

/** Reads more file properties, as an object or as JSON text. */
async function readMetadata({ inputs }: RunContext<UploadConfig>): Promise<Record<string, unknown>> {
  const metadata = (await inputs.object('metadata')) ?? {};
  const member = RESERVED_FIELDS.find((name) => name in metadata);
  if (member !== undefined) {
    throw inputs.invalid('invalid_input_metadata_own', 'metadata', metadata, { member });
  }
  return metadata;
}
