/**
 * search files: the files inside a folder whose name matches.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import type { NodeAPI } from 'node-red';
import { flowNode, type Work } from '../shared/runtime/flow-node';
import { LISTING_DEFAULTS, listing, sendListing } from '../shared/runtime/listing';
import { conditions } from './conditions';
import type { SearchFilesConfig } from './search-files.types';

const defaults: SearchFilesConfig = {
  folder: 'payload.folderId',
  folderType: 'msg',
  text: 'payload.text',
  textType: 'msg',
  match: 'contains',
  caseSensitive: false,
  kind: 'files',
  includeTrashed: false,
  recursive: false,
  maxDepth: 0,
  modifiedAfter: '',
  modifiedBefore: '',
  minSize: '',
  maxSize: '',
  mimeType: '',
  sort: '',
  ...LISTING_DEFAULTS,
};

export = (RED: NodeAPI): void =>
  flowNode<SearchFilesConfig>(RED, {
    type: 'cloud-drive-search-files',
    defaults,
    async run(work) {
      const { client, config, inputs, call } = work;
      const settings = listing(work);
      const match = inputs.oneOf('match', ['contains', 'anywhere', 'exact', 'glob', 'regex']);
      const kind = inputs.oneOf('kind', ['files', 'folders', 'any']);
      const more = conditions(config, inputs, Date.now());
      const { folder, text } = await folderAndText(work);
      // A property that is empty by mistake must never list a whole drive.
      if (folder === '' && text === '' && !(inputs.isTyped('folder') && inputs.isTyped('text'))) {
        throw inputs.invalid('invalid_input_everything', 'text', text);
      }
      const { fields, orderBy, limit } = settings;
      const wanted = {
        ...more,
        ...(folder ? { folderId: folder } : {}),
        ...(limit > 0 ? { most: limit } : {}),
        text,
        match,
        caseSensitive: config.caseSensitive === true,
        kind,
        includeTrashed: config.includeTrashed === true,
        fields,
        orderBy,
      };
      await sendListing(work, client.search(wanted, call), settings);
    },
  });

/** The contract's short forms: a text or number as `msg.payload` is the text, a folder object is the folder. */
async function folderAndText({
  inputs,
  msg,
}: Work<SearchFilesConfig>): Promise<{ folder: string; text: string }> {
  const { payload } = msg;
  const isText = typeof payload === 'string' || typeof payload === 'number';
  const textIsPayload = isText && inputs.reads('text', defaults.text);
  const readsFolder = inputs.reads('folder', defaults.folder);
  return {
    text: textIsPayload ? inputs.asText('text', payload) : await inputs.text('text'),
    folder: textIsPayload && readsFolder ? '' : await folderOf(inputs, readsFolder ? payload : undefined),
  };
}

async function folderOf(inputs: Work<SearchFilesConfig>['inputs'], payload: unknown): Promise<string> {
  const folder = folderIn(payload);
  return folder === undefined ? inputs.folder('folder') : inputs.id('folder', 'folder', folder);
}

/** What a payload says of the folder, which may be the payload itself; an array of one counts as the one. */
function folderIn(payload: unknown): unknown {
  const only: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
  if (typeof only !== 'object' || only === null) return undefined;
  if ('folderId' in only) return only.folderId;
  return 'id' in only ? only : undefined;
}
