/** `npm run new-node`: the new node has all files of a node and none of the names of the node it was copied from. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import 'should';
import { ROOT } from '../support/node-red/built-package';

const COPIED = [
  'nodes/about',
  'nodes/move',
  'icons',
  'examples',
  'test/nodes/about_spec.ts',
  'docs/nodes',
  'package.json',
];

describe('npm run new-node', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'new-node-'));
    for (const part of COPIED) await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const newNode = (...args: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts/new-node.mjs'), ...args], {
      cwd: folder,
    });
  const read = (file: string): Promise<string> => readFile(path.join(folder, file), 'utf8');
  const filesOf = async (part: string): Promise<string[]> =>
    (await readdir(path.join(folder, part), { recursive: true }))
      .map((file) => file.replace(/\\/g, '/'))
      .sort();

  it('new-node creates every file that about has, under the new name', async () => {
    const { stdout } = await newNode('file-labels');
    const expected = (await filesOf('nodes/about')).map((file) => file.replace('about', 'file-labels'));
    (await filesOf('nodes/file-labels')).should.eql(expected.sort());
    for (const file of [
      'icons/cloud-drive-file-labels.svg',
      'examples/file-labels.json',
      'docs/nodes/file-labels.md',
    ]) {
      stdout.should.containEql(file);
      (await read(file)).should.not.containEql('cloud-drive-about');
    }
    for (const file of expected.filter((name) => path.extname(name) !== '')) {
      (await read(`nodes/file-labels/${file}`)).should.not.match(
        /cloud-drive-about|AboutConfig|about\.defaults/,
        file,
      );
    }
    (await read('test/nodes/file-labels_spec.ts')).should.containEql("type: 'cloud-drive-file-labels'");
    (await read('nodes/file-labels/file-labels.ts')).should.containEql('flowNode<FileLabelsConfig>');
    (await read('docs/nodes/file-labels.md')).should.startWith('# file labels\n');
  });

  it('new-node lists each file to change, in each language', async () => {
    const { stdout } = await newNode('file-labels');
    const named = stdout.split('\n').flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
    for (const file of await filesOf('nodes/file-labels'))
      if (path.extname(file) !== '') named.should.containEql(`nodes/file-labels/${file}`);
    for (const table of ['README.md', 'docs/nodes.md', 'CHANGELOG.md']) named.should.containEql(table);
    const own = named.filter((place) => place.includes('file-labels'));
    await Promise.all(own.map(read));
    own.should.have.length(
      (await filesOf('nodes/file-labels')).filter((file) => path.extname(file)).length + 4,
    );
  });

  it('new-node registers the node and leaves the rest of the manifest unchanged', async () => {
    const before = JSON.parse(await read('package.json')) as { 'node-red': { nodes: object } };
    await newNode('file-labels');
    // The palette shows the nodes in this order, about last.
    const entries = Object.entries(before['node-red'].nodes);
    const own = ['cloud-drive-file-labels', 'dist/nodes/file-labels.js'];
    const nodes = Object.fromEntries([...entries.slice(0, -1), own, ...entries.slice(-1)]) as object;
    const expected = { ...before, 'node-red': { ...before['node-red'], nodes } };
    (await read('package.json')).should.equal(`${JSON.stringify(expected, undefined, 2)}\n`);
  });

  it('new-node gives the example and the page new ids, and the label the new name', async () => {
    await newNode('file-labels');
    const idsOf = (text: string): string[] => [...text.matchAll(/"id": ?"(cd[^"]+)"/g)].map(([, id]) => id!);
    for (const file of ['examples/*.json', 'docs/nodes/*.md']) {
      const [model, own] = [
        await read(file.replace('*', 'about')),
        await read(file.replace('*', 'file-labels')),
      ];
      const shared = idsOf(own).filter((id) => idsOf(model).includes(id));
      shared.should.eql(['cd0account000001'], file);
    }
    for (const language of await readdir(path.join(folder, 'nodes/file-labels/locales'))) {
      const texts = JSON.parse(await read(`nodes/file-labels/locales/${language}/file-labels.json`)) as {
        label: string;
      };
      texts.label.should.equal('file labels', language);
    }
  });

  for (const [name, message] of [
    ['', 'usage'],
    ['FileLabels', 'usage'],
    ['../out', 'usage'],
    ['move', 'already'],
  ] as const) {
    it(`new-node rejects ${name || 'a missing name'} and creates nothing`, async () => {
      const before = (await readdir(folder, { recursive: true })).sort();
      await newNode(...(name ? [name] : [])).should.be.rejectedWith(new RegExp(message));
      (await readdir(folder, { recursive: true })).sort().should.eql(before);
    });
  }
});
