/** Several builds at once in one clone: `npm start` twice, or a build while the tests build. None fails, and one is there, whole. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import 'should';
import { ROOT } from '../support/node-red/built-package';

const MODULE = pathToFileURL(path.join(ROOT, 'scripts/put-in-place.mjs')).href;
const FILES = ['a', 'b/c', 'b/d/e', 'f'];

/** Builds and puts in place, over and over, as fast as it can: two of them are sure to meet. */
const BUILDER = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import path from 'node:path';
  import { putInPlace } from '${MODULE}';
  const [place, name] = process.argv.slice(1);
  for (let round = 0; round < 200; round += 1) {
    for (const file of ${JSON.stringify(FILES)}) {
      const to = path.join(place + '.' + name, file);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, name + round);
    }
    putInPlace(place + '.' + name, place);
  }`;

describe('a build that is put in place', () => {
  let folder: string;
  let place: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'put-in-place-'));
    place = path.join(folder, 'dist');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const builder = (name: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', BUILDER, place, name]);
  const contents = () => Promise.all(FILES.map((file) => readFile(path.join(place, file), 'utf8')));

  it('is whole, and of the last who came, where several come at once', async () => {
    await Promise.all(['x', 'y', 'z'].map(builder));
    const [first = '', ...others] = await contents();
    first.should.match(/^[xyz]199$/);
    for (const other of others) other.should.equal(first);
    (await readdir(folder)).should.eql(['dist']);
  });

  it('leaves nothing of the one before', async () => {
    await mkdir(place);
    await writeFile(path.join(place, 'of-before'), '');
    await builder('x');
    (await readdir(place)).sort().should.eql(['a', 'b', 'f']);
  });
});
