/** Several builds at the same time in one clone, such as two `npm start`, must all leave a complete build. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import 'should';
import { ROOT } from '../support/node-red/built-package';

const MODULE = pathToFileURL(path.join(ROOT, 'scripts/replace-folder.mjs')).href;
const FILES = ['a', 'b/c', 'b/d/e', 'f'];

/** Replaces the folder so often that several such processes get in each other's way. */
const BUILDER = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import path from 'node:path';
  import { replaceFolder } from '${MODULE}';
  const [target, name] = process.argv.slice(1);
  for (let round = 0; round < 200; round += 1) {
    for (const file of ${JSON.stringify(FILES)}) {
      const source = path.join(target + '.' + name, file);
      mkdirSync(path.dirname(source), { recursive: true });
      writeFileSync(source, name + round);
    }
    replaceFolder(target + '.' + name, target);
  }`;

describe('replaceFolder', () => {
  let folder: string;
  let target: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'replace-folder-'));
    target = path.join(folder, 'dist');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const runBuilder = (name: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', BUILDER, target, name]);
  const contents = () => Promise.all(FILES.map((file) => readFile(path.join(target, file), 'utf8')));

  it('leaves a complete folder of the last process if several replace it at the same time', async () => {
    await Promise.all(['x', 'y', 'z'].map(runBuilder));
    const [first = '', ...others] = await contents();
    first.should.match(/^[xyz]199$/);
    for (const other of others) other.should.equal(first);
    (await readdir(folder)).should.eql(['dist']);
  });

  it('removes the files of the previous folder', async () => {
    await mkdir(target);
    await writeFile(path.join(target, 'previous'), '');
    await runBuilder('x');
    (await readdir(target)).sort().should.eql(['a', 'b', 'f']);
  });
});
