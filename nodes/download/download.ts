/**
 * download: reads the content of a file into a Buffer, a string or a file on disk.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { constants } from 'node:buffer';
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { summarizePublicValue } from '../shared/runtime/value-summary';
import { DEFAULTS, type DownloadConfig } from './download.defaults';

const MIB = 1024 * 1024;
const FIELDS =
  'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,sha256Checksum,parents,webViewLink';

export default (RED: NodeAPI): void =>
  flowNode<DownloadConfig>(RED, {
    type: 'cloud-drive-download',
    defaults: DEFAULTS,
    async run(context) {
      const { inputs } = context;
      const output = inputs.oneOf('output', ['buffer', 'string', 'file']);
      const acknowledgeAbuse = inputs.flag('acknowledgeAbuse');
      const exportFormat = inputs.settingText('exportFormat');
      const source = { id: await inputs.file('file'), acknowledgeAbuse, exportFormat };
      if (output === 'file') return downloadToFile(context, source);
      return downloadToMessage(context, source, output === 'string' ? readEncoding(context) : undefined);
    },
  });

interface Source {
  id: string;
  acknowledgeAbuse: boolean;
  exportFormat: string;
}

async function downloadToFile(context: RunContext<DownloadConfig>, source: Source): Promise<Outcome> {
  const { client, inputs, call, msg, results } = context;
  const overwrite = inputs.oneOf('overwrite', ['replace', 'rename', 'error']);
  const path = inputs.localPath('filename', await inputs.value('filename'));
  const { request, transferred, finish } = createRequest(context, source);
  const result = await client.downloadToDisk({ ...request, path, overwrite }, call);
  finish(result.file);
  msg.payload = result.path;
  msg['filename'] = result.path;
  msg['file'] = result.file;
  context.send(msg);
  return { text: results.transferred(result.file, transferred()) };
}

/** @param encoding for a string; without it the payload is a Buffer */
async function downloadToMessage(
  context: RunContext<DownloadConfig>,
  source: Source,
  encoding?: BufferEncoding,
): Promise<Outcome> {
  const { client, call, msg, results } = context;
  const limit = readMaxSize(context);
  // A byte takes two characters in hexadecimal, and the length of a string is limited.
  const maxSize = encoding ? Math.min(limit, constants.MAX_STRING_LENGTH / 2) : limit;
  const { request, finish } = createRequest(context, source);
  const { file, content } = await client.downloadToMemory({ ...request, maxSize }, call);
  finish(file);
  msg.payload = encoding === undefined ? content : content.toString(encoding);
  msg['file'] = file;
  context.send(msg);
  return { text: results.transferred(file, content.length) };
}

/** The part of the request that both kinds of download share. */
function createRequest({ trackProgress }: RunContext<DownloadConfig>, source: Source) {
  const { onProgress, ...progress } = trackProgress({ id: source.id });
  return { request: { ...source, fields: FIELDS, onProgress }, ...progress };
}

/** @returns bytes; 0 in the node means no limit, and an empty field means the default */
function readMaxSize({ config, inputs }: RunContext<DownloadConfig>): number {
  const mebibytes = config.maxSize === '' ? Number(DEFAULTS.maxSize) : inputs.nonNegative('maxSize');
  return mebibytes === 0 ? Infinity : mebibytes * MIB;
}

function readEncoding({ inputs }: RunContext<DownloadConfig>): BufferEncoding {
  const encoding = inputs.setting('encoding') || DEFAULTS.encoding;
  if (typeof encoding === 'string' && Buffer.isEncoding(encoding)) return encoding;
  const came = summarizePublicValue(encoding);
  throw inputs.invalid('invalid_input_encoding', 'encoding', encoding, { came });
}
