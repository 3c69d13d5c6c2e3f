import fs from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';

/** What a disk says that has no links, FAT for one: there a name is reserved in another way. */
describe('the target of a download on a disk without links', () => {
  const at = downloadFixture();
  const inFolder = (name: string): string => join(at.folder, name);
  const { link } = fs;

  /** Links are answered so. */
  function answer(code: string, before = () => Promise.resolve()): void {
    fs.link = async () => {
      await before();
      throw Object.assign(new Error(code), { code });
    };
  }

  beforeEach(() => answer('EPERM'));
  afterEach(() => {
    fs.link = link;
  });

  it('gets the first free number, and of several who come at once each its own', async () => {
    await fs.writeFile(inFolder('out'), 'old');
    await Promise.all([1, 2, 3].map(() => at.toDisk(inFolder('out'), { overwrite: 'rename' })));
    (await at.names()).sort().should.deepEqual(['out', 'out (1)', 'out (2)', 'out (3)']);
    (await fs.readFile(inFolder('out'), 'utf8')).should.equal('old');
    for (const name of ['out (1)', 'out (2)', 'out (3)'])
      (await fs.readFile(inFolder(name), 'utf8')).should.equal('hello');
  });

  it('is refused where it comes to be meanwhile, and left as it is', async () => {
    const onProgress = (): void => void fs.writeFile(inFolder('out'), 'theirs');
    await rejected(at.toDisk(inFolder('out'), { overwrite: 'error', onProgress }), 'conflict');
    (await at.names()).should.deepEqual(['out']);
    (await fs.readFile(inFolder('out'), 'utf8')).should.equal('theirs');
  });

  for (const [code, text] of [
    ['ENOSPC', 'local_file_full'],
    ['ENOENT', 'local_file_missing'],
  ] as const) {
    it(`is not reserved where what the disk says has nothing to do with links: ${code}`, async () => {
      answer(code);
      await rejected(at.toDisk(inFolder('out'), { overwrite: 'rename' }), 'local_file', text);
      (await at.names()).should.be.empty();
    });
  }

  it('says what the disk says where the name can’t be reserved either', async () => {
    answer('EPERM', () => fs.rm(at.folder, { recursive: true, force: true }));
    await rejected(at.toDisk(inFolder('out'), { overwrite: 'rename' }), 'local_file', 'local_file_missing');
    await fs.mkdir(at.folder);
  });
});
