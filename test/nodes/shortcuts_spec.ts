/** Shortcuts: docs/nodes.md, "Shortcuts". */
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { TOKEN } from '../local-drive/spec/drive-fixture';
import { officialClient } from '../local-drive/spec/official-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type Ending, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const SHORTCUT = 'application/vnd.google-apps.shortcut';
/** Searches all of a folder's tree. */
const TREE = { text: '', textType: 'str', recursive: true, kind: 'any', fields: 'name' };

interface File {
  id: string;
  name: string;
  parents?: string[];
}

describe('nodes with shortcuts', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let unique = 0;
  /** `top` contains a shortcut `link` to the folder `target`, which contains `a.txt` and the folder `sub`. */
  let top: string;
  let topName: string;
  let target: string;
  let link: string;
  let file: string;

  const files = () => drive().files;
  const addShortcut = (name: string, parent: string, shortcutTarget: string): Promise<string> =>
    files().add({ name, parent, mimeType: SHORTCUT, shortcutTarget });

  beforeEach(async () => {
    topName = `top ${++unique}`;
    top = await files().addFolder(topName);
    target = await files().addFolder(`target ${unique}`);
    file = await files().add({ name: 'a.txt', parent: target, content: 'content' });
    await files().addFolder('sub', target);
    link = await addShortcut('link', top, target);
    drive().requests.clear();
  });

  let flow: LoadedFlow;
  const run = async (
    type: string,
    more: object,
    msg: NodeMessage & Record<string, unknown>,
  ): Promise<Ending> => {
    await helper.unload();
    flow = await load([{ id: 'n', type: `cloud-drive-${type}`, ...more }], {
      url: drive().url,
      service: 'google',
    });
    return flow.run('n', msg);
  };
  const requests = (): string[] =>
    drive()
      .requests.all.filter(({ path }) => path !== '/token' && !path.endsWith('/generateIds'))
      .map(({ method, path }) => `${method} ${path.replace(/^.*\/v3\//, '')}`);
  const names = ({ payload }: NodeMessage): string[] => (payload as File[]).map(({ name }) => name).sort();

  it('download reads the target of a shortcut, given by its ID, with one request more', async () => {
    const id = await addShortcut('file', top, file);
    drive().requests.clear();
    const sent = passed(await run('download', { output: 'string' }, { payload: id }));
    should(sent.payload).equal('content');
    should(sent['file']).have.properties({ id: file, name: 'a.txt' });
    requests().should.deepEqual([`GET files/${id}`, `GET files/${file}`, `GET files/${file}`]);
    const { client, here } = officialClient(drive().url);
    const official = await client.files.get(
      { fileId: file, alt: 'media' },
      { ...here, responseType: 'text' },
    );
    should(official.data).equal(sent.payload);
  });

  it('download costs no more requests than before for a file that is no shortcut', async () => {
    passed(await run('download', { output: 'string' }, { payload: file }));
    requests().should.deepEqual([`GET files/${file}`, `GET files/${file}`]);
  });

  it('a shortcut on a path stands for its folder, and the next message takes it from the cache', async () => {
    const msg = { payload: `/${topName}/link/a.txt` };
    const sent = passed(await run('download', { output: 'string' }, msg));
    should(sent.payload).equal('content');
    // Two folders, the target of the shortcut, the file; then its metadata and content.
    requests().should.deepEqual([
      ...['GET files', 'GET files', `GET files/${target}`, 'GET files'],
      ...[`GET files/${file}`, `GET files/${file}`],
    ]);
    drive().requests.clear();
    passed(await flow.run('n', msg));
    requests().should.deepEqual(['GET files', `GET files/${file}`, `GET files/${file}`]);
  });

  it('list-folders lists the target of a shortcut, and asks only once what an ID is', async () => {
    should(names(passed(await run('list-folders', {}, { payload: link })))).deepEqual(['sub']);
    requests().should.deepEqual(['GET files', `GET files/${link}`, `GET files/${target}`, 'GET files']);
    drive().requests.clear();
    passed(await flow.run('n', { payload: link }));
    requests().should.deepEqual(['GET files', 'GET files']);
  });

  it('list-folders asks once whether an empty folder is a shortcut', async () => {
    const empty = await files().addFolder('empty', top);
    drive().requests.clear();
    names(passed(await run('list-folders', {}, { payload: empty }))).should.deepEqual([]);
    requests().should.deepEqual(['GET files', `GET files/${empty}`]);
    passed(await flow.run('n', { payload: empty }));
    requests().should.deepEqual(['GET files', `GET files/${empty}`, 'GET files']);
  });

  it('a recursive search follows each shortcut once, and ends in loops', async () => {
    await addShortcut('again', top, target);
    await addShortcut('back', target, top);
    await addShortcut('itself', top, top);
    await addShortcut('dangling', top, 'no-such-folder');
    const found = passed(await run('search-files', TREE, { payload: { folderId: top } }));
    names(found).should.deepEqual(['a.txt', 'again', 'back', 'dangling', 'itself', 'link', 'sub']);
    const folders = { ...TREE, kind: 'folders' };
    names(passed(await run('search-files', folders, { payload: { folderId: top } }))).should.deepEqual([
      'sub',
    ]);
  });

  it('a search returns what a shortcut leads to if the field is requested', async () => {
    const settings = { ...TREE, recursive: false, fields: 'name,shortcutDetails' };
    const { payload } = passed(await run('search-files', settings, { payload: { folderId: top } }));
    const shortcutDetails = { targetId: target, targetMimeType: 'application/vnd.google-apps.folder' };
    should(payload).deepEqual([{ name: 'link', shortcutDetails }]);
  });

  for (const [what, folder] of [
    ['an ID', () => link],
    ['a path', () => `/${topName}/link`],
  ] as const) {
    it(`upload and create-folder put files into the target of a shortcut given by ${what}`, async () => {
      const uploaded = passed(
        await run('upload', { targetName: 'new.txt' }, { payload: 'x', folderId: folder() }),
      );
      should((uploaded.payload as File).parents).deepEqual([target]);
      const settings = { folder: folder(), folderType: 'str' };
      const created = passed(await run('create-folder', settings, { payload: 'new' }));
      should((created.payload as File).parents).deepEqual([target]);
      const inside = passed(await run('create-folder', settings, { payload: '/deep/er' }));
      (inside.payload as File).name.should.equal('er');
      files().in(link).should.deepEqual([]);
      files()
        .in(target)
        .map(({ name }) => name)
        .should.deepEqual(['a.txt', 'sub', 'new.txt', 'new', 'deep']);
    });
  }

  it('an existing shortcut to a folder keeps create-folder from creating a second one', async () => {
    const { payload, ...more } = passed(await run('create-folder', {}, { payload: `/${topName}/link` }));
    should((payload as File).id).equal(target);
    should(more).match({ created: false });
  });

  it('delete and move act on the shortcut itself', async () => {
    passed(await run('move', { targetName: 'renamed' }, { payload: `/${topName}/link` }));
    should(files().find(link)?.name).equal('renamed');
    passed(await run('delete', {}, { payload: `/${topName}/renamed` }));
    should(files().find(link)).be.undefined();
    should(files().find(target)?.name).startWith('target');
  });

  it('a shortcut whose target is gone fails with not_found and an explanation', async () => {
    const id = await addShortcut('dangling', top, 'no-such-file');
    const text = 'The shortcut “dangling” is broken.';
    failed(await run('download', {}, { payload: id }), 'not_found', text);
    failed(await run('list-folders', {}, { payload: id }), 'not_found', text);
  });

  it('restore reads an archive through a shortcut to its folder', async () => {
    const ending = await run(
      'restore',
      { folder: link, folderType: 'str', localPath: '/nowhere', localPathType: 'str' },
      {},
    );
    failed(ending, 'not_found', 'There is no archive');
    requests().slice(-1).should.deepEqual(['GET files']);
  });

  it('move creates a shortcut in a folder, as the official client does', async () => {
    const settings = {
      action: 'shortcut',
      folder: top,
      folderType: 'str',
      targetName: 'to a',
      ifExists: 'replace',
    };
    const { payload, ...more } = passed(await run('move', settings, { payload: file }));
    const made = payload as File;
    should(more).match({ created: true, skipped: false });
    const { client, here } = officialClient(drive().url);
    const requestBody = {
      ...{ name: 'to a', mimeType: SHORTCUT, parents: [top] },
      shortcutDetails: { targetId: file },
    };
    const fields = 'name,mimeType,parents,shortcutDetails';
    const { data } = await client.files.create({ requestBody, fields }, here);
    should(made).containDeep(data);
  });

  it('move creates no second shortcut for skip and replace, and one in the root without a folder', async () => {
    const settings = { action: 'shortcut', targetName: `root ${unique}` };
    const first = passed(await run('move', settings, { payload: link })).payload as File;
    should(first.parents).deepEqual([files().rootId]);
    // The shortcut to a shortcut leads to the same target.
    should(files().find(first.id)?.shortcutTarget).equal(target);
    for (const ifExists of ['skip', 'replace']) {
      const { payload, ...more } = passed(await run('move', { ...settings, ifExists }, { payload: target }));
      should((payload as File).id).equal(first.id);
      should(more).match({ created: false, skipped: true });
    }
    failed(await run('move', { ...settings, ifExists: 'error' }, { payload: target }), 'conflict');
    const other = passed(await run('move', { ...settings, ifExists: 'replace' }, { payload: file }));
    should((other.payload as File).id).not.equal(first.id);
    should(files().find(first.id)?.trashed).equal(true);
  });
});
