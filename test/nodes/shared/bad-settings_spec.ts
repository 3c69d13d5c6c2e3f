/** Invalid settings that only an edited flow file can contain: docs/errors.md, `invalid_input`. */
import helper from 'node-red-node-test-helper';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const node = (type: string, more: object = {}): FlowNode => ({
  id: 'n',
  type: `cloud-drive-${type}`,
  ...more,
});

/** A node, a message, and words that the error must contain. */
const CASES: [string, FlowNode, Record<string, unknown>, ...string[]][] = [
  ['a negative limit', node('list-folders', { limit: -1 }), { payload: 'x' }, 'limit', 'number -1'],
  ['a negative limit as text', node('search-files', { limit: '-5' }), { payload: 'x' }, 'limit'],
  ['a limit that is not a number', node('list-folders', { limit: 'ten' }), { payload: 'x' }, 'limit'],
  ['a limit of true', node('list-folders', { limit: true }), { payload: 'x' }, 'limit', 'boolean true'],
  ['an infinite limit', node('list-folders', { limit: Infinity }), { payload: 'x' }, 'limit'],
  [
    'a limit with a fraction',
    node('list-folders', { limit: 0.5 }),
    { payload: 'x' },
    'limit must be a whole number of at least 0, but got number 0.5',
  ],
  [
    'a limit of the message with a fraction',
    node('search-files', { limit: 'limit', limitType: 'msg' }),
    { payload: 'x', limit: '1.5' },
    "limit must be a whole number of at least 0, but got '1.5'",
  ],
  ['a depth with a fraction', node('search-files', { maxDepth: 1.5 }), { payload: 'x' }, 'maxDepth', '1.5'],
  [
    'a rule with a fraction',
    node('prune', { keepNewest: '2.5' }),
    { payload: 'x' },
    'keepNewest must be',
    "'2.5'",
  ],
  [
    'a minimum with a fraction',
    node('prune', { daily: 1, minimum: 0.5 }),
    { payload: 'x' },
    'minimum',
    '0.5',
  ],
  [
    'a rule with a fraction',
    node('backup', { source: '/tmp', sourceType: 'str', weekly: 1.5 }),
    {},
    'weekly must be a whole number',
    'number 1.5',
  ],
  [
    'a removal limit with a fraction',
    node('sync', { localPath: '/tmp', localPathType: 'str', maxRemovals: 0.5 }),
    { payload: 'x' },
    'maxRemovals must be a whole number of at least 0, but got number 0.5',
  ],
  ['a limit that is an array', node('list-folders', { limit: [5] }), { payload: 'x' }, 'limit', 'array[1]'],
  ['an unknown output', node('list-folders', { output: 'all' }), { payload: 'x' }, 'output', 'array, each'],
  [
    'fields with an extra closing parenthesis',
    node('list-folders', { fields: 'id),x(a' }),
    { payload: 'x' },
    'fields',
  ],
  [
    'fields without a closing parenthesis',
    node('search-files', { fields: 'a(b' }),
    { payload: 'x' },
    'fields',
  ],
  ['an unknown match', node('search-files', { match: 'sounds' }), { payload: 'x' }, 'match', 'contains'],
  [
    'an unknown kind',
    node('search-files', { kind: 'pages' }),
    { payload: 'x' },
    'kind',
    'files, folders, any',
  ],
  ['an unknown output', node('download', { output: 'disk' }), { payload: 'x' }, 'output', 'buffer, string'],
  [
    'an unknown encoding',
    node('download', { output: 'string', encoding: 'ebcdic' }),
    { payload: 'x' },
    'encoding',
  ],
  [
    'an unknown overwrite',
    node('download', { output: 'file', overwrite: 'maybe' }),
    { payload: 'x', filename: '/tmp/x' },
    'overwrite',
    'replace, rename, error',
  ],
  ['a negative size', node('download', { maxSize: -1 }), { payload: 'x' }, 'maxSize', 'number -1'],
  ['an unknown mode', node('delete', { mode: 'shred' }), { payload: 'x' }, 'mode', 'permanent, trash'],
  ['an unknown missing', node('delete', { missing: 'cry' }), { payload: 'x' }, 'missing', 'error, ignore'],
  ['an unknown source', node('upload', { source: 'air' }), { payload: 'x' }, 'source', 'payload, file'],
  [
    'an unknown ifExists',
    node('upload', { ifExists: 'merge' }),
    { payload: 'x', filename: 'a' },
    'ifExists',
    'duplicate, replace, skip, rename, error',
  ],
  [
    'include that is an array',
    node('sync', { include: ['*.txt', '*.md'], localPath: '/tmp', localPathType: 'str' }),
    { payload: 'x' },
    'include must be a string with one value per line',
    'array[2]',
  ],
  [
    'include that is an array',
    node('restore', { include: ['*'] }),
    { payload: 'x', filename: '/tmp/x' },
    'include must be a string with one value per line',
  ],
  [
    'an exportFormat that is an object',
    node('sync', { exportFormat: { a: 1 }, localPath: '/tmp', localPathType: 'str' }),
    { payload: 'x' },
    'exportFormat must be a string, but got {a}',
    "Correct the value in the node's dialog",
  ],
  ['an exportFormat of true', node('download', { exportFormat: true }), { payload: 'x' }, 'boolean true'],
  [
    'fields that are an array',
    node('about', { fields: ['user'] }),
    {},
    'fields must be a string',
    'array[1]',
  ],
  ['fields that are an array', node('file-info', { fields: ['id'] }), { payload: 'x' }, 'fields must be'],
  ['fields that are an array', node('list-folders', { fields: ['id'] }), { payload: 'x' }, 'fields must be'],
  ['an orderBy of null', node('list-folders', { orderBy: null }), { payload: 'x' }, 'orderBy', 'null'],
  ['a query that is an object', node('search-files', { query: {} }), { payload: 'x' }, 'query', '{}'],
  ['a pattern that is an array', node('prune', { keepNewest: 1, pattern: [] }), { payload: 'x' }, 'pattern'],
  [
    'a time zone that is a boolean',
    node('prune', { keepNewest: 1, timeZone: true }),
    { payload: 'x' },
    'timeZone',
  ],
  [
    'an expires that is an object',
    node('share', { with: 'user', toType: 'str', to: 'a@example.com', expires: {} }),
    { payload: 'x' },
    'expires must be a string',
  ],
  [
    'a MIME type that is an array',
    node('upload', { mimeType: [] }),
    { payload: 'x', filename: 'a' },
    'mimeType',
  ],
  ['an invalid MIME type', node('upload', { mimeType: 'text' }), { payload: 'x', filename: 'a' }],
  [
    'a media type with a line end',
    node('upload', { mimeType: 'text/plain\r\nX: y' }),
    { payload: 'x', filename: 'a' },
  ],
];

/** Checkboxes, with the messages of their nodes. */
const FLAGS: [string, string, object, Record<string, unknown>][] = [
  ['download', 'acknowledgeAbuse', {}, { payload: 'x' }],
  ['download', 'progress', {}, { payload: 'x' }],
  ['upload', 'createFolders', { folder: '/new', folderType: 'str' }, { payload: 'x', filename: 'a' }],
  ['upload', 'keepModifiedTime', {}, { payload: 'x', filename: 'a' }],
  ['move', 'createFolders', { folder: '/new', folderType: 'str' }, { payload: 'x' }],
  ['backup', 'createFolders', { source: '/tmp', sourceType: 'str' }, {}],
  ['sync', 'createFolders', { localPath: '/tmp', localPathType: 'str' }, { payload: '/new' }],
  ['delete', 'allowFolders', {}, { payload: 'x' }],
  ['search-files', 'recursive', {}, { payload: 'x' }],
  ['search-files', 'caseSensitive', {}, { payload: 'x' }],
  ['search-files', 'includeTrashed', {}, { payload: 'x' }],
  ['share', 'notify', { with: 'user', to: 'a@example.com', toType: 'str' }, { payload: 'x' }],
  ['share', 'discoverable', {}, { payload: 'x' }],
  ['request', 'pages', {}, {}],
  ['request', 'repeatable', {}, {}],
];

describe('nodes with invalid settings', () => {
  useNodeRed();
  const drive = useDrive();

  for (const [description, tested, msg, ...words] of CASES) {
    it(`${tested.type} rejects ${description}`, async () => {
      const flow = await load([tested], { url: drive().url });
      failed(await flow.run('n', msg), 'invalid_input', ...words);
      drive().requests.all.should.be.empty();
    });
  }

  for (const [type, property, settings, msg] of FLAGS) {
    it(`${type} rejects a ${property} that is neither true nor false`, async () => {
      for (const value of ['no', 'yes', '', 0, 1, null]) {
        const flow = await load([node(type, { ...settings, [property]: value })], { url: drive().url });
        const came = typeof value === 'string' ? `'${value}'` : String(value);
        failed(await flow.run('n', msg), 'invalid_input', `${property} must be true or false, but got`, came);
        await helper.unload();
      }
      drive().requests.all.should.be.empty();
    });
  }

  for (const [value, isCreated] of [
    ['true', true],
    ['false', false],
  ] as const) {
    it(`upload takes the text ${value} of an environment variable as createFolders`, async () => {
      const settings = { folder: `/new ${value}`, folderType: 'str', createFolders: value };
      const flow = await load([node('upload', settings)], { url: drive().url });
      const ending = await flow.run('n', { payload: 'x', filename: 'a' });
      if (isCreated) passed(ending);
      else failed(ending, 'not_found');
    });
  }
});
