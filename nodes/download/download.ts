/**
 * download: a file's content as a Buffer, a string or a file on disk.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { constants } from 'node:buffer';
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type DownloadConfig } from './download.defaults';

const MIB = 1024 * 1024;
const FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,sha256Checksum,parents';

export default (RED: NodeAPI): void =>
  flowNode<DownloadConfig>(RED, {
    type: 'cloud-drive-download',
    defaults: DEFAULTS,
    async run(work) {
      const { inputs } = work;
      const output = inputs.oneOf('output', ['buffer', 'string', 'file']);
      const id = await inputs.file('file');
      if (output === 'file') await toDisk(work, id);
      else await toMemory(work, id, output === 'string' ? encodingOf(work) : undefined);
    },
  });

async function toMemory(
  work: RunContext<DownloadConfig>,
  id: string,
  encoding?: BufferEncoding,
): Promise<void> {
  const { client, call, msg } = work;
  // In hexadecimal a byte is two characters, and a string has an end.
  const maxSize = encoding ? Math.min(mostBytes(work), constants.MAX_STRING_LENGTH / 2) : mostBytes(work);
  const { request, finish } = downloadRequest(work, id);
  const { file, content } = await client.downloadToMemory({ ...request, maxSize }, call);
  finish(file);
  msg.payload = encoding === undefined ? content : content.toString(encoding);
  msg['file'] = file;
  work.send(msg);
}

/** As everywhere 0 is no limit; an empty field is the default. */
function mostBytes({ config, inputs }: RunContext<DownloadConfig>): number {
  const mebibytes = config.maxSize === '' ? Number(DEFAULTS.maxSize) : inputs.nonNegative('maxSize');
  return mebibytes === 0 ? Infinity : mebibytes * MIB;
}

async function toDisk(work: RunContext<DownloadConfig>, id: string): Promise<void> {
  const { client, inputs, call, msg } = work;
  const overwrite = inputs.oneOf('overwrite', ['replace', 'rename', 'error']);
  const path = inputs.localPath('filename', await inputs.value('filename'));
  const { request, finish } = downloadRequest(work, id);
  const done = await client.downloadToDisk({ ...request, path, overwrite }, call);
  finish(done.file);
  msg.payload = done.path;
  msg['filename'] = done.path;
  msg['file'] = done.file;
  work.send(msg);
}

/** What both ways ask for, and how they tell of their progress. */
function downloadRequest({ config, inputs, trackProgress }: RunContext<DownloadConfig>, id: string) {
  const { onProgress, finish } = trackProgress({ id });
  const acknowledgeAbuse = config.acknowledgeAbuse === true;
  const exportFormat = inputs.asText('exportFormat', config.exportFormat).trim();
  return { request: { id, fields: FIELDS, acknowledgeAbuse, exportFormat, onProgress }, finish };
}

function encodingOf({ config, inputs }: RunContext<DownloadConfig>): BufferEncoding {
  const encoding = config.encoding || DEFAULTS.encoding;
  if (Buffer.isEncoding(encoding)) return encoding;
  throw inputs.invalid('invalid_input_encoding', 'encoding', encoding);
}
