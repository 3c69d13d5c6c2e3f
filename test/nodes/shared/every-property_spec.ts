/** Promises and unset environment variables in every property that has sources: docs/nodes.md, "What goes in". */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

/** Valid literals for the other properties, so that the one under test is read. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ file: 'f', folder: 'd', targetName: 'x', data: 'x', text: 'x', to: 'anna@example.com' },
  ...{ filename: __filename, source: __filename, localPath: __dirname, select: '1', path: 'files' },
};

/** A node, the settings with which it reads the properties, and these properties. */
const NODES: [string, object, ...string[]][] = [
  ['list-folders', {}, 'folder'],
  [
    'search-files',
    {},
    ...['folder', 'text', 'limit', 'modifiedAfter', 'modifiedBefore', 'minSize', 'maxSize', 'mimeType'],
  ],
  ['download', { output: 'file' }, 'file', 'filename'],
  ['delete', {}, 'file'],
  ['upload', {}, 'data', 'targetName', 'folder', 'metadata'],
  ['upload', { source: 'file', targetName: '', targetNameType: 'str' }, 'filename'],
  ['create-folder', {}, 'folder', 'targetName'],
  ['move', {}, 'file', 'folder', 'targetName'],
  ['prune', { keepNewest: 1 }, 'folder'],
  ['sync', {}, 'localPath', 'folder'],
  ['backup', {}, 'source', 'folder', 'targetName'],
  ['restore', { which: 'number' }, 'folder', 'select', 'localPath'],
  ['share', { with: 'user' }, 'file', 'to'],
  ['file-info', {}, 'file', 'changes'],
  ['request', { method: 'POST' }, 'path', 'query', 'body'],
];

describe('every property with sources', () => {
  useNodeRed();
  const drive = useDrive();

  function node(type: string, settings: object, own: Record<string, string>): FlowNode {
    const properties = NODES.flatMap(([each, , ...names]) => (each === type ? names : []));
    const literals = properties.map((name) => [
      [name, VALUES[name] ?? ''],
      [`${name}Type`, 'str'],
    ]);
    return {
      id: 'n',
      type: `cloud-drive-${type}`,
      ...(Object.fromEntries(literals.flat()) as object),
      ...settings,
      ...own,
    };
  }

  /** Expects an error before any request, and that the nodes handle further messages. @param words of the error */
  async function refused(
    tested: FlowNode,
    msg: Record<string, unknown>,
    code: 'invalid_input' | 'not_configured',
    ...words: string[]
  ): Promise<void> {
    const flow = await load([tested, { id: 'about', type: 'cloud-drive-about' }], { url: drive().url });
    failed(await flow.run('n', msg), code, ...words);
    drive().requests.all.should.be.empty();
    passed(await flow.run('about'));
  }

  const PENDING = new Promise(() => undefined);
  for (const [type, settings, ...properties] of NODES) {
    for (const property of properties) {
      it(`${type} refuses a promise as ${property}`, () =>
        refused(
          node(type, settings, { [property]: 'value', [`${property}Type`]: 'msg' }),
          { value: PENDING },
          ...([
            'invalid_input',
            `${property} (msg.value)`,
            'contains a promise instead of its value',
          ] as const),
        ));

      it(`${type} refuses a variable that isn't set as ${property}`, () =>
        refused(
          node(type, settings, { [property]: '$(CLOUD_DRIVE_UNSET)', [`${property}Type`]: 'str' }),
          {},
          ...(['not_configured', property, 'CLOUD_DRIVE_UNSET', 'is not set'] as const),
        ));
    }
  }

  /** Settings without sources, for which Node-RED substitutes variables too. */
  for (const [type, setting] of [
    ['list-folders', 'fields'],
    ['list-folders', 'output'],
    ['search-files', 'query'],
    ['search-files', 'caseSensitive'],
    ['search-files', 'maxDepth'],
    ['download', 'overwrite'],
    ['prune', 'pattern'],
    ['backup', 'exclude'],
    ['backup', 'keepNewest'],
    ['share', 'message'],
    ['sync', 'dryRun'],
  ] as const) {
    it(`${type} refuses a variable that isn't set as ${setting}`, () =>
      refused(
        node(
          type,
          { ...(type === 'download' && { output: 'file' }), with: 'user', keepDays: 1 },
          { [setting]: '${CLOUD_DRIVE_UNSET}' },
        ),
        {},
        ...(['not_configured', setting, 'CLOUD_DRIVE_UNSET'] as const),
      ));
  }

  const READ_PROMISE: [string, string, Record<string, string>, Record<string, unknown>, string?][] = [
    ['a path that leads through it', 'search-files', { text: 'payload.text' }, { payload: PENDING }],
    [
      'an expression that reads it',
      'list-folders',
      { folder: 'topic.id & filename', folderType: 'jsonata' },
      { filename: PENDING },
      'msg.filename',
    ],
    ['an array of files', 'delete', { file: 'payload' }, { payload: ['a', PENDING] }, 'msg.payload[1]'],
    ['the id of a file', 'download', { file: 'payload' }, { payload: { id: PENDING } }],
    ['an array of sources', 'backup', { source: 'payload' }, { payload: [__filename, PENDING] }],
    ['content', 'upload', { data: 'payload' }, { payload: { deep: [PENDING] } }],
    ['metadata', 'upload', { metadata: 'payload' }, { payload: { description: PENDING } }],
    ['a change', 'file-info', { changes: 'payload' }, { payload: { name: PENDING } }],
    ['a body', 'request', { body: 'payload' }, { payload: [{ name: PENDING }] }],
    ['another thenable', 'delete', { file: 'payload' }, { payload: { then: () => undefined, id: 'x' } }],
  ];
  for (const [where, type, own, msg, source = 'msg.payload'] of READ_PROMISE) {
    it(`${type} refuses a promise in ${where}`, () => {
      const [property = ''] = Object.keys(own);
      const settings = type === 'request' ? { method: 'POST' } : {};
      return refused(
        node(type, settings, { [`${property}Type`]: 'msg', ...own }),
        msg,
        ...(['invalid_input', `${property} (${source}) contains a promise instead of its value`] as const),
      );
    });
  }

  it('a promise that fails after it was refused is handled', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const flow = await load([node('delete', {}, { file: 'payload', fileType: 'msg' })], { url: drive().url });
    failed(
      await flow.run('n', { payload: Promise.reject(new Error('later')) }),
      'invalid_input',
      'a promise',
    );
    // The event follows the end of the tasks that are already queued.
    await new Promise(setImmediate);
    process.removeListener('unhandledRejection', listener);
    unhandled.should.be.empty();
  });

  it('msg.cancel ends a message whose expression waits for a promise', async () => {
    const own = { folder: '*.folder', folderType: 'jsonata' };
    const flow = await load([node('list-folders', {}, own)], { url: drive().url });
    const ended = flow.run('n', { payload: PENDING });
    await flow.run('n', { cancel: true });
    failed(await ended, 'cancelled');
    await helper.unload();
  });

  for (const [type, own] of [
    ['delete', { file: 'payload' }],
    ['backup', { source: 'payload' }],
  ] as const) {
    it(`${type} refuses an array with an empty slot`, () => {
      const payload = Array<string>(2);
      payload[1] = 'x';
      const [property = ''] = Object.keys(own);
      return refused(
        node(type, {}, { [`${property}Type`]: 'msg', ...own }),
        { payload },
        ...(['invalid_input', property, 'undefined'] as const),
      );
    });
  }

  for (const [payload, source] of [
    [{ id: 'a/b' }, 'msg.payload'],
    [[{ id: 'a/b' }], 'msg.payload[0]'],
    [{ folderId: 'a/b' }, 'msg.payload.folderId'],
    [[{ folderId: 'a/b' }], 'msg.payload[0].folderId'],
  ] as const) {
    it(`search-files names ${source} if the folder comes from there`, () =>
      refused(
        node(
          'search-files',
          {},
          { folder: 'payload.folderId', folderType: 'msg', text: 'topic', textType: 'msg' },
        ),
        { payload, topic: 'x' },
        ...(['invalid_input', `folder (${source})`, "'a/b'"] as const),
      ));
  }

  it('request refuses a number as path', () =>
    refused(
      node('request', {}, { path: 'payload', pathType: 'msg' }),
      { payload: 5 },
      ...(['invalid_input', 'path (msg.payload)', 'number 5'] as const),
    ));

  it('a line break at the end of a variable is not part of the value', async () => {
    process.env['CLOUD_DRIVE_TEST'] = 'named by echo\r\n';
    for (const [value, valueType] of [
      ['CLOUD_DRIVE_TEST', 'env'],
      ['${CLOUD_DRIVE_TEST}', 'str'],
    ] as const) {
      const own = { targetName: value, targetNameType: valueType };
      const flow = await load([node('create-folder', { folder: '' }, own)], { url: drive().url });
      should(passed(await flow.run('n')).payload).match({ name: 'named by echo' });
      await helper.unload();
    }
    delete process.env['CLOUD_DRIVE_TEST'];
  });
});
