/** The search-files node as docs/nodes/search-files.md describes it. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { GOOGLE_PRESET } from '../../nodes/account/settings/urls';
import { nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, node, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const search = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-search-files', ...more });

describe('search files node', () => {
  useNodeRed();
  const drive = useDrive({ pageSizeDefault: 3 });
  let parent: string;

  before(async () => {
    parent = await drive().files.addFolder('parent');
    const add = (name: string, more: object = {}) =>
      drive().files.add({ name, content: name, parent, ...more });
    await add('backup-2041.tar');
    await add('backup-2042.tar');
    await add('Backup 2042 copy.tar');
    await add('notes.txt');
    await add('backup-2042-old.tar', { trashed: true });
    await drive().files.addFolder('backup folder 2042', parent);
    await drive().files.add({ name: 'backup-2042-elsewhere.tar', content: 'x' });
  });

  const run = nodeRunner('search-files', drive);
  const names = (files: unknown): string[] => (files as { name: string }[]).map(({ name }) => name).sort();

  for (const service of ['custom', 'google'] as const) {
    describe(`at a ${service} service`, () => {
      const run = nodeRunner('search-files', drive, { service });
      const found = async (more: object, msg: Record<string, unknown>): Promise<string[]> => {
        const sent = passed(await run(more, msg));
        should(sent['truncated']).be.false();
        return names(sent.payload);
      };
      const both = (text: string | number) => ({ payload: { folderId: parent, text } });

      it('search-files finds files by a number in the name, without folders and trashed files', async () => {
        (await found({}, both(2042))).should.eql(['Backup 2042 copy.tar', 'backup-2042.tar']);
      });
      it('search-files finds folders', async () => {
        (await found({ kind: 'folders' }, both('2042'))).should.eql(['backup folder 2042']);
      });
      it('search-files finds files and folders with kind any', async () => {
        (await found({ kind: 'any' }, both('2042'))).should.eql([
          'Backup 2042 copy.tar',
          'backup folder 2042',
          'backup-2042.tar',
        ]);
      });
      it('search-files finds trashed files with includeTrashed', async () => {
        (await found({ includeTrashed: true }, both('2042'))).should.eql([
          'Backup 2042 copy.tar',
          'backup-2042-old.tar',
          'backup-2042.tar',
        ]);
      });
      it('search-files searches the whole drive without a folder', async () => {
        (await found({}, { payload: '2042' })).should.containEql('backup-2042-elsewhere.tar');
      });
      it('search-files finds all files of a folder with an empty text', async () => {
        (await found({}, both(''))).should.eql([
          'Backup 2042 copy.tar',
          'backup-2041.tar',
          'backup-2042.tar',
          'notes.txt',
        ]);
      });
      it('search-files sends an empty array if nothing matches', async () => {
        (await found({}, both('no such'))).should.eql([]);
      });
      it('search-files applies orderBy, limit and fields', async () => {
        const settings = { orderBy: 'name', limit: 2, fields: 'name' };
        const sent = passed(await run(settings, both('backup')));
        should(sent.payload).eql([{ name: 'Backup 2042 copy.tar' }, { name: 'backup-2041.tar' }]);
        should(sent['truncated']).be.true();
      });
      it('search-files sends the default fields', async () => {
        const { payload } = passed(await run({}, both('notes')));
        const [file] = payload as object[];
        Object.keys(file ?? {}).should.eql([
          'id',
          'name',
          'mimeType',
          'size',
          'createdTime',
          'modifiedTime',
          'md5Checksum',
          'parents',
          'webViewLink',
        ]);
        should(file).match({ size: '9', parents: [parent] });
      });
      it('search-files sends one message per file with output each', async () => {
        const { sent } = await run({ output: 'each', orderBy: 'name' }, both('204'));
        names(sent.map(({ payload }) => payload)).should.have.length(3);
        should(sent[2]?.['parts']).match({ index: 2, count: 3 });
      });
      it('search-files sets truncated if the list may be incomplete', async () => {
        drive().faults.add({ kind: 'incompleteSearch', match: { path: 'files' } });
        should(passed(await run({}, both('notes')))['truncated']).be.true();
      });
    });
  }

  for (const [type, settings, expected] of [
    ['search-files', { kind: 'any' }, 5],
    ['search-files', { kind: 'any', output: 'each' }, 5],
    ['search-files', { kind: 'any', limit: 5 }, 5],
    ['search-files', { kind: 'any', limit: 4, output: 'each' }, 4],
    ['search-files', { kind: 'any', recursive: true }, 5],
    ['search-files', { kind: 'any', sort: 'largest' }, 5],
    ['search-files', { match: 'glob' }, 3],
    ['list-folders', {}, 2],
    ['list-folders', { output: 'each' }, 2],
  ] as const) {
    it(`${type} ${JSON.stringify(settings)} reports a file once that two pages contain`, async () => {
      const folder = await drive().files.addFolder('overlapping');
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await drive().files.add({ name, parent: folder });
      for (const name of ['d', 'e']) await drive().files.addFolder(name, folder);
      let previous: Record<string, unknown>[] = [];
      const edit = (files: Record<string, unknown>[]): typeof files => {
        const page = [...previous, ...files];
        previous = files;
        return page;
      };
      drive().faults.add({ kind: 'shortPage', items: 1, match: { path: /files$/ }, times: Infinity });
      drive().faults.add({ kind: 'editPage', edit, match: { path: /files$/ }, times: Infinity });
      const runType = nodeRunner(type, drive);
      const msg = { folder, payload: 'match' in settings ? '*.txt' : '' };
      const { sent } = await runType({ folder: 'folder', ...settings }, msg);
      const found = 'output' in settings ? sent.map(({ payload }) => payload) : sent[0]?.payload;
      const ids = (found as { id: string }[]).map(({ id }) => id);
      ids.should.have.length(expected);
      new Set(ids).size.should.equal(expected);
      should(sent.at(-1)).have.property('truncated', expected === 4 && 'limit' in settings);
      if ('output' in settings) should(sent.at(-1)?.['parts']).containEql({ count: expected });
    });
  }

  for (const [type, expected] of [
    ['search-files', ['Backup 2042 copy.tar', 'backup-2041.tar', 'backup-2042.tar', 'notes.txt']],
    ['list-folders', ['backup folder 2042']],
  ] as const) {
    for (const [kind, split] of [
      ['array', (id: string) => [id, id]],
      ['object', (id: string) => ({ a: id, b: id })],
    ] as const) {
      it(`a join node joins what ${type} has found for each part of a split ${kind}`, async () => {
        const core = (id: string, type: string, to: string, more: object = {}): FlowNode => ({
          ...{ id, type, z: 'tab', x: 0, y: 0, wires: [[to]] },
          ...more,
        });
        const folder = { folder: 'payload', text: '', textType: 'str' };
        const flow = await load(
          [
            core('split', 'split', 'n', { arraySplt: 1, arraySpltType: 'len', property: 'payload' }),
            node(type, { ...folder, output: 'each', orderBy: 'name', z: 'tab', wires: [['inner']] }),
            core('inner', 'join', 'outer', { mode: 'auto' }),
            core('outer', 'join', 'joined', { mode: 'auto' }),
            { id: 'joined', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
          ],
          { url: drive().url },
        );
        flow.send('split', { payload: split(parent) });
        const [msg] = await flow.received('joined');
        const lists = Object.values(msg?.payload as object).map(names);
        lists.should.eql([[...expected], [...expected]]);
        Object.keys(msg?.payload as object).should.eql(Object.keys(split(parent)));
        should(msg).not.have.property('parts');
      });
    }
  }

  it('search-files sends a custom service only the three documented terms, with spaces as +', async () => {
    passed(await run({ kind: 'folders' }, { payload: { folderId: parent, text: "it's a \\" } }));
    const { query, params } = drive().requests.to('GET', '/drive/v3/files')[0] ?? {};
    const type = `mimeType='${GOOGLE_PRESET.folderMimeType}'`;
    should(params?.get('q')).equal(`'${parent}' in parents and ${type} and name contains 'it\\'s a \\\\'`);
    should(query).containEql('name+contains+');
    should(query).not.containEql('%20');
    [...(params?.keys() ?? [])].should.eql(['q', 'fields']);
  });

  describe('with special characters in names', () => {
    const NAMES = [
      "it's",
      'back\\slash',
      "\\'",
      'two\nlines',
      '😀 smile 👩‍👩‍👧',
      'שלום \u202eעולם',
      'a"b',
      'a+b & c=d?#%20',
      "'; drop",
      ' spaces ',
      'ü composed',
      "name contains 'x' and",
    ];
    let special: string;

    before(async () => {
      special = await drive().files.addFolder('special');
    });

    for (const name of NAMES) {
      it(`search-files finds and returns ${JSON.stringify(name)}`, async () => {
        let flow = await load(
          [{ id: 'n', type: 'cloud-drive-upload', targetName: 'topic', targetNameType: 'msg' }],
          { url: drive().url },
        );
        const { payload } = passed(await flow.run('n', { payload: 'x', topic: name, folderId: special }));
        should(payload).match({ name });
        for (const service of ['custom', 'google'] as const) {
          await helper.unload();
          flow = await load([search()], { url: drive().url, service });
          const hits = passed(await flow.run('n', { payload: { folderId: special, text: name } }));
          should(hits.payload).match([{ id: (payload as { id: string }).id, name }]);
        }
      });
    }
  });

  it('search-files fails with bad_response if the service rejects the search', async () => {
    failed(await run({ orderBy: 'colour' }, { payload: 'x' }), 'bad_response', 'order');
  });
});
