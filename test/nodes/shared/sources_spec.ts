/** The sources of typed inputs: docs/nodes.md, "What goes in". */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { type LoadedFlow, load, node, runAfterFunction, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

/** Stores a value where the source reads it. */
type Arrange = (flow: LoadedFlow) => void;

/** Each source of a TypedInput with the setting that reads the value. */
const SOURCES: Record<
  string,
  { set: (value: string) => string; msg?: string; arrange?: (value: string) => Arrange }
> = {
  msg: { set: () => 'a.deep["property"]', msg: 'a' },
  flow: { set: () => 'kept', arrange: (value) => (flow) => flow.node('n').context().flow.set('kept', value) },
  global: {
    set: () => 'kept.deep',
    arrange: (value) => (flow) => flow.node('n').context().global.set('kept', { deep: value }),
  },
  str: { set: (value) => value },
  env: { set: () => 'CLOUD_DRIVE_TEST' },
  jsonata: { set: (value) => `"${value.slice(0, 3)}" & "${value.slice(3)}"` },
};

describe('sources of a property', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;
  let file: string;

  before(async () => {
    folder = await drive().files.addFolder('folder');
    file = await drive().files.add({ name: 'found.txt', content: 'content', parent: folder });
  });
  afterEach(() => {
    delete process.env['CLOUD_DRIVE_TEST'];
  });

  /** Runs a node with a property from a source. */
  async function run(name: string, property: string, type: string, value: string, more: object = {}) {
    const source = SOURCES[type] ?? { set: (each: string) => each };
    process.env['CLOUD_DRIVE_TEST'] = value;
    const settings = { [property]: source.set(value), [`${property}Type`]: type, ...more };
    const flow = await load([node(name, settings)], { url: drive().url });
    source.arrange?.(value)(flow);
    return flow.run('n', { a: { deep: { property: value } }, payload: 'not asked for' });
  }

  for (const type of [...Object.keys(SOURCES), 'drive']) {
    it(`a folder can come from ${type}`, async () => {
      const { payload } = passed(
        await run('search-files', 'folder', type, folder, { text: '', textType: 'str' }),
      );
      (payload as object[]).should.have.length(1);
      fileRequests(drive())[0]?.should.containEql(`'${folder}' in parents`);
    });

    it(`a file can come from ${type}`, async () => {
      should(passed(await run('download', 'file', type, file)).payload).eql(Buffer.from('content'));
    });

    if (type === 'drive') continue;

    it(`a text can come from ${type}`, async () => {
      const settings = { folder: '', folderType: 'str' };
      const { payload } = passed(await run('search-files', 'text', type, 'found', settings));
      should(payload).match([{ id: file }]);
    });

    it(`a name can come from ${type}`, async () => {
      const { payload } = passed(await run('create-folder', 'targetName', type, `made from ${type}`));
      should(payload).match({ name: `made from ${type}` });
    });

    it(`the content can come from ${type}`, async () => {
      const settings = { targetName: 'n.txt', targetNameType: 'str' };
      const { payload } = passed(await run('upload', 'data', type, 'some content', settings));
      const { id } = payload as { id: string };
      should((await drive().files.contentOf(id)).toString()).equal('some content');
    });

    it(`a path on disk can come from ${type}`, async () => {
      const { payload } = passed(await run('upload', 'filename', type, __filename, { source: 'file' }));
      should(payload).match({ name: 'sources_spec.ts' });
    });
  }

  for (const [name, settings, msg] of [
    ['search-files', { modifiedAfter: 'a', modifiedAfterType: 'msg' }, '{ payload: FOLDER, a: new Date(0) }'],
    ['download', {}, '{ payload: [{ id: FILE }] }'],
    ['upload', { metadata: 'a', metadataType: 'msg' }, '{ payload: 1, filename: "a", a: { starred: true } }'],
    [
      'file-info',
      { changes: 'a', changesType: 'msg' },
      '{ payload: FILE, a: { modifiedTime: new Date(0), appProperties: null } }',
    ],
    [
      'request',
      { method: 'PATCH', path: 'a', pathType: 'msg', body: 'b', bodyType: 'msg' },
      '{ a: "files/" + FILE, b: { starred: true } }',
    ],
  ] as const) {
    it(`${name} accepts objects of a function node`, async () => {
      const code = `const FILE = '${file}', FOLDER = { folderId: '${folder}', text: 'found' }; return ${msg}`;
      const { payload } = passed(await runAfterFunction(node(name, settings), code, { url: drive().url }));
      should(payload).be.ok();
      if (name === 'search-files') should(payload).match([{ id: file }]);
    });
  }

  const MAP = 'new Map([["name", "x"]])';
  for (const [name, settings, msg] of [
    ['upload', {}, `{ filename: 'a', payload: [{ a: ${MAP} }] }`],
    ['upload', { metadata: 'a', metadataType: 'msg' }, `{ filename: 'a', payload: 1, a: { b: ${MAP} } }`],
    ['file-info', { changes: 'a', changesType: 'msg' }, `{ payload: 'id', a: { properties: ${MAP} } }`],
    ['file-info', {}, `{ payload: ${MAP} }`],
    ['search-files', { modifiedAfter: 'a', modifiedAfterType: 'msg' }, `{ payload: 'x', a: ${MAP} }`],
    ['request', { method: 'POST', body: 'a', bodyType: 'msg' }, `{ a: [${MAP}] }`],
    ['request', { method: 'POST', body: 'a', bodyType: 'msg' }, `{ a: ${MAP} }`],
    ['request', { query: 'a', queryType: 'msg' }, `{ a: { q: ${MAP} } }`],
  ] as const) {
    it(`${name} sends nothing for the message ${msg} of a function node, because JSON has no Map`, async () => {
      const code = `return ${msg}`;
      const ending = await runAfterFunction(node(name, settings), code, { url: drive().url });
      failed(ending, 'invalid_input', 'Map', 'No request was made');
      drive().requests.all.should.be.empty();
    });
  }

  it('a JSONata expression reads the message and may return an object', async () => {
    const flow = await load([node('download', { file: '{"fileId": payload.where}', fileType: 'jsonata' })], {
      url: drive().url,
    });
    should(passed(await flow.run('n', { payload: { where: file } })).payload).eql(Buffer.from('content'));
  });

  it('environment variables can be part of a text or the whole property', async () => {
    process.env['CLOUD_DRIVE_TEST'] = folder.slice(1);
    const all = { text: '', textType: 'str' };
    const part = { folder: `${folder.slice(0, 1)}\${CLOUD_DRIVE_TEST}`, folderType: 'env' };
    let flow = await load([node('search-files', { ...all, ...part })], { url: drive().url });
    should(passed(await flow.run('n')).payload).match([{ id: file }]);
    await helper.unload();
    process.env['CLOUD_DRIVE_TEST'] = folder;
    const whole = { folder: '${CLOUD_DRIVE_TEST}', folderType: 'str' };
    flow = await load([node('search-files', { ...all, ...whole })], { url: drive().url });
    should(passed(await flow.run('n')).payload).match([{ id: file }]);
  });

  it('an empty environment variable is an empty value', async () => {
    process.env['CLOUD_DRIVE_TEST'] = '';
    const flow = await load([node('list-folders', { folder: 'CLOUD_DRIVE_TEST', folderType: 'env' })], {
      url: drive().url,
    });
    should(passed(await flow.run('n')).payload).matchEach({ parents: [drive().files.rootId] });
  });

  /** Missing values, and expressions that Node-RED can't evaluate. */
  const NOTHING: [string, string, string][] = [
    ['msg', 'no.such.thing', 'undefined'],
    ['msg', '', 'undefined'],
    ['msg', 'not a [property', 'undefined'],
    ['flow', 'nothing', 'undefined'],
    ['global', 'nothing.there', 'undefined'],
    ['env', 'CLOUD_DRIVE_UNSET', 'CLOUD_DRIVE_UNSET'],
    ['env', '${CLOUD_DRIVE_UNSET}', 'CLOUD_DRIVE_UNSET'],
    ['env', 'a${CLOUD_DRIVE_UNSET}b', 'CLOUD_DRIVE_UNSET'],
    ['jsonata', 'nothing', 'undefined'],
    ['jsonata', '(((', 'Expected ")"'],
    ['jsonata', '$error("own")', 'own'],
  ];
  for (const [type, value, word] of NOTHING) {
    it(`a folder from ${type} without a value (${value}) is invalid_input and never the root`, async () => {
      const flow = await load([node('list-folders', { folder: value, folderType: type })], {
        url: drive().url,
      });
      failed(await flow.run('n', { payload: 'x' }), 'invalid_input', 'folder', word);
      drive().requests.all.should.be.empty();
    });
  }

  /** Only a missing message property means the root; other missing values are errors. */
  for (const [type, value] of [
    ['flow', 'nothing'],
    ['global', 'nothing'],
    ['jsonata', 'nothing'],
    ['jsonata', '$number(payload) + "a"'],
  ] as const) {
    it(`upload rejects a folder from ${type} without a value (${value})`, async () => {
      const upload = node('upload', { folder: value, folderType: type });
      const flow = await load([upload], { url: drive().url });
      failed(await flow.run('n', { payload: 'x', filename: 'x.txt' }), 'invalid_input', 'folder');
      drive().requests.all.should.be.empty();
    });
  }
});
