/** Invalid settings that only an edited flow file can contain: docs/errors.md, `invalid_input`. */
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, node, runNode, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

/** Valid for each of the nodes. */
const MSG = { payload: 'x', filename: '/tmp/x', limit: '1.5' };

/** A node, and words that the error must contain. */
const CASES: [string, FlowNode, ...string[]][] = [
  ['a negative limit', node('list-folders', { limit: -1 }), 'limit', 'number -1'],
  ['a negative limit as text', node('search-files', { limit: '-5' }), 'limit'],
  ['a limit that is not a number', node('list-folders', { limit: 'ten' }), 'limit'],
  ['a limit of true', node('list-folders', { limit: true }), 'limit', 'boolean true'],
  ['an infinite limit', node('list-folders', { limit: Infinity }), 'limit'],
  [
    'a limit with a fraction',
    node('list-folders', { limit: 0.5 }),
    'limit must be a whole number of at least 0, but got number 0.5',
  ],
  [
    'a limit of the message with a fraction',
    node('search-files', { limit: 'limit', limitType: 'msg' }),
    "limit must be a whole number of at least 0, but got '1.5'",
  ],
  ['a depth with a fraction', node('search-files', { maxDepth: 1.5 }), 'maxDepth', '1.5'],
  ['a rule with a fraction', node('prune', { keepNewest: '2.5' }), 'keepNewest must be', "'2.5'"],
  ['a minimum with a fraction', node('prune', { daily: 1, minimum: 0.5 }), 'minimum', '0.5'],
  [
    'a rule with a fraction',
    node('backup', { source: '/tmp', sourceType: 'str', weekly: 1.5 }),
    'weekly must be a whole number',
    'number 1.5',
  ],
  [
    'a removal limit with a fraction',
    node('sync', { localPath: '/tmp', localPathType: 'str', maxRemovals: 0.5 }),
    'maxRemovals must be a whole number of at least 0, but got number 0.5',
  ],
  ['a limit that is an array', node('list-folders', { limit: [5] }), 'limit', 'array[1]'],
  ['an unknown output', node('list-folders', { output: 'all' }), 'output', 'array, each'],
  [
    'fields with an extra closing parenthesis',
    node('list-folders', { fields: 'id),x(a' }),
    "The parentheses in fields don't match: 'id),x(a'",
  ],
  ['fields without a closing parenthesis', node('search-files', { fields: 'a(b' }), 'fields'],
  ['an unknown match', node('search-files', { match: 'sounds' }), 'match', 'contains'],
  ['an unknown kind', node('search-files', { kind: 'pages' }), 'kind', 'files, folders, any'],
  ['an unknown output', node('download', { output: 'disk' }), 'output', 'buffer, string'],
  ['an unknown encoding', node('download', { output: 'string', encoding: 'ebcdic' }), 'encoding', "'ebcdic'"],
  [
    'an unknown overwrite',
    node('download', { output: 'file', overwrite: 'maybe' }),
    'overwrite',
    'replace, rename, error',
  ],
  ['a negative size', node('download', { maxSize: -1 }), 'maxSize', 'number -1'],
  ['an unknown mode', node('delete', { mode: 'shred' }), 'mode', 'permanent, trash'],
  ['an unknown missing', node('delete', { missing: 'cry' }), 'missing', 'error, ignore'],
  ['an unknown source', node('upload', { source: 'air' }), 'source', 'payload, file'],
  [
    'an unknown ifExists',
    node('upload', { ifExists: 'merge' }),
    'ifExists',
    'duplicate, replace, skip, rename, error',
  ],
  [
    'include that is an array',
    node('sync', { include: ['*.txt', '*.md'], localPath: '/tmp', localPathType: 'str' }),
    'include must be a string with one value per line',
    'array[2]',
  ],
  [
    'include that is an array',
    node('restore', { include: ['*'] }),
    'include must be a string with one value per line',
  ],
  [
    'an exportFormat that is an object',
    node('sync', { exportFormat: { a: 1 }, localPath: '/tmp', localPathType: 'str' }),
    'exportFormat must be a string, but got {a}',
    "Correct the value in the node's dialog",
  ],
  ['an exportFormat of true', node('download', { exportFormat: true }), 'boolean true'],
  ['fields that are an array', node('about', { fields: ['user'] }), 'fields must be a string', 'array[1]'],
  ['fields that are an array', node('file-info', { fields: ['id'] }), 'fields must be'],
  ['fields that are an array', node('list-folders', { fields: ['id'] }), 'fields must be'],
  ['an orderBy of null', node('list-folders', { orderBy: null }), 'orderBy', 'null'],
  ['a query that is an object', node('search-files', { query: {} }), 'query', '{}'],
  ['a pattern that is an array', node('prune', { keepNewest: 1, pattern: [] }), 'pattern'],
  ['a time zone that is a boolean', node('prune', { keepNewest: 1, timeZone: true }), 'timeZone'],
  [
    'an expires that is an object',
    node('share', { with: 'user', toType: 'str', to: 'a@example.com', expires: {} }),
    'expires must be a string',
  ],
  ['a MIME type that is an array', node('upload', { mimeType: [] }), 'mimeType'],
  ['an invalid MIME type', node('upload', { mimeType: 'text' }), '“text”'],
  ['a media type with a line end', node('upload', { mimeType: 'text/plain\r\nX: y' })],
];

/** Checkboxes, with the settings that make their nodes read them. */
const FLAGS: [string, string, object?][] = [
  ['download', 'acknowledgeAbuse'],
  ['download', 'progress'],
  ['upload', 'createFolders', { folder: '/new', folderType: 'str' }],
  ['upload', 'keepModifiedTime'],
  ['move', 'createFolders', { folder: '/new', folderType: 'str' }],
  ['backup', 'createFolders', { source: '/tmp', sourceType: 'str' }],
  ['sync', 'createFolders', { localPath: '/tmp', localPathType: 'str', folder: '/new', folderType: 'str' }],
  ['delete', 'allowFolders'],
  ['search-files', 'recursive'],
  ['search-files', 'caseSensitive'],
  ['search-files', 'includeTrashed'],
  ['share', 'notify', { with: 'user', to: 'a@example.com', toType: 'str' }],
  ['share', 'discoverable'],
  ['request', 'pages'],
  ['request', 'repeatable'],
];

describe('nodes with invalid settings', () => {
  useNodeRed();
  const drive = useDrive();

  const run = (tested: FlowNode) => runNode(tested, MSG, { url: drive().url });

  for (const [description, tested, ...words] of CASES) {
    it(`${tested.type} rejects ${description}`, async () => {
      failed(await run(tested), 'invalid_input', ...words);
      drive().requests.all.should.be.empty();
    });
  }

  for (const [type, property, settings] of FLAGS) {
    it(`${type} rejects a ${property} that is neither true nor false`, async () => {
      for (const value of ['no', 'yes', '', 0, 1, null]) {
        const came = typeof value === 'string' ? `'${value}'` : String(value);
        const ending = await run(node(type, { ...settings, [property]: value }));
        failed(ending, 'invalid_input', `${property} must be true or false, but got`, came);
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
      const ending = await run(node('upload', settings));
      if (isCreated) passed(ending);
      else failed(ending, 'not_found');
    });
  }
});
