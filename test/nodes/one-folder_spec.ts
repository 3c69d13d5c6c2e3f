/** Concurrent messages that need the same missing folder create it once. */
import type { NodeMessage } from 'node-red';
import 'should';
import { TOKEN } from '../support/client/test-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { passed } from '../support/node-red/outcome';

const FOLDERS = ['2026', '11', '21'];

describe('concurrent messages for a missing folder', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let unique = 0;
  let top: string;
  let topId: string;

  beforeEach(async () => {
    top = `top ${++unique}`;
    topId = await drive().files.addFolder(top);
  });

  const flowAt = (service: 'google' | 'custom', more: object = {}): Promise<LoadedFlow> => {
    const up = { type: 'cloud-drive-upload', createFolders: true, ...more };
    const nodes = [
      { id: 'first', ...up },
      { id: 'second', ...up },
      { id: 'folder', type: 'cloud-drive-create-folder' },
      { id: 'move', type: 'cloud-drive-move', folder: 'folderId', folderType: 'msg', createFolders: true },
    ];
    return load(nodes, { url: drive().url, service });
  };
  const path = (): string => `/${[top, ...FOLDERS].join('/')}`;
  const upload = (name: string): NodeMessage & Record<string, unknown> => ({
    payload: `content of ${name}`,
    filename: name,
    folderId: path(),
  });

  /** The only folder at the path, counting trashed ones. */
  function onlyFolder(): string {
    let id = topId;
    for (const name of FOLDERS) {
      const found = drive().files.in(id);
      found.map((each) => each.name).should.eql([name]);
      id = found[0]!.id;
    }
    return id;
  }

  async function contents(): Promise<Record<string, string>> {
    const files = drive().files.in(onlyFolder());
    const pairs = files.map(async ({ id, name }) => [name, await drive().files.contentOf(id)] as const);
    const texts = (await Promise.all(pairs)).map(([name, bytes]) => [name, bytes.toString()]);
    texts.should.have.length(new Set(files.map(({ name }) => name)).size);
    return Object.fromEntries(texts) as Record<string, string>;
  }

  for (const service of ['google', 'custom'] as const)
    for (const ifExists of ['duplicate', 'replace'])
      for (const count of [2, 20])
        it(`${count} uploads with ${ifExists} create the folder once, at a ${service} service`, async () => {
          const flow = await flowAt(service, { ifExists });
          const names = Array.from({ length: count }, (_, index) => `file ${index}.txt`);
          const endings = await Promise.all(
            names.map((name, index) => flow.run(index % 2 === 0 ? 'first' : 'second', upload(name))),
          );
          const folder = onlyFolder();
          for (const ending of endings) {
            const { payload, created } = passed(ending) as { payload: object; created: boolean };
            created.should.equal(true);
            if (service === 'google') payload.should.have.property('parents', [folder]);
          }
          (await contents()).should.eql(
            Object.fromEntries(names.map((name) => [name, `content of ${name}`])),
          );
          const creations = drive().requests.all.filter(
            ({ method, path: url }) =>
              method === 'POST' && url.endsWith('/drive/v3/files') && !url.includes('upload'),
          );
          creations.should.have.length(FOLDERS.length);
        });

  it('upload, move and create-folder nodes create the folder once', async () => {
    const flow = await flowAt('google');
    const moved = await drive().files.add({ name: 'moved.txt', content: 'content of moved.txt' });
    const [folder, ...others] = await Promise.all([
      flow.run('folder', { payload: path() }),
      flow.run('first', upload('a.txt')),
      flow.run('move', { payload: moved, folderId: path() }),
      flow.run('second', upload('b.txt')),
    ]);
    (passed(folder).payload as { id: string }).id.should.equal(onlyFolder());
    others.forEach(passed);
    Object.keys(await contents())
      .sort()
      .should.eql(['a.txt', 'b.txt', 'moved.txt']);
  });

  it('20 uploads that replace a missing file create it once', async () => {
    const flow = await flowAt('google', { ifExists: 'replace' });
    const endings = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        flow.run('first', { ...upload('a.txt'), payload: `${index}` }),
      ),
    );
    endings
      .map((ending) => passed(ending)['created'])
      .filter((created) => created === true)
      .should.have.length(1);
    const [text = ''] = Object.values(await contents());
    text.should.match(/^\d+$/);
    drive().files.in(onlyFolder()).should.have.length(1);
  });
});
