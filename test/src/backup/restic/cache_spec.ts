import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { RepositoryCache } from '../../../../src/backup/restic/cache';

const MIB = 1024 * 1024;

describe('RepositoryCache', () => {
  let root: string;
  let cache: RepositoryCache;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'cache-'));
    cache = new RepositoryCache(root, 'place');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('returns what was written, but nothing for a range that the file lacks', () => {
    cache.write('data', 'pack', Buffer.from('content'));
    should(cache.read('data', 'pack')?.toString()).equal('content');
    should(cache.read('data', 'pack', { start: 3, end: 7 })?.toString()).equal('tent');
    should(cache.read('data', 'pack', { start: 3, end: 8 })).be.undefined();
    should(cache.read('data', 'other')).be.undefined();
    should(new RepositoryCache(root, 'other place').read('data', 'pack')).be.undefined();
  });

  it('removes what wasn’t used for the longest time, and what an interrupted run has left', async () => {
    const [folder = ''] = (cache.write('data', 'used', Buffer.from('u')), await readdir(root));
    const data = path.join(root, folder, 'data');
    const old = ['oldest', 'old', `left.${'0'.repeat(12)}`, `written.${'1'.repeat(12)}`];
    for (const [index, name] of old.entries()) {
      await writeFile(path.join(data, name), '');
      // A file with a hole takes no room.
      await truncate(path.join(data, name), name.startsWith('old') ? 200 * MIB : 1);
      if (name.startsWith('written')) continue;
      await utimes(path.join(data, name), 1_000 + index, 1_000 + index);
    }
    cache.trim();
    (await readdir(data)).sort().should.eql(['old', 'used', `written.${'1'.repeat(12)}`]);
  });

  it('RepositoryCache removes only its own files from a folder that someone has given the name of the cache', async () => {
    const [home, left] = [path.join(root, 'home'), `left.${'0'.repeat(12)}`];
    await mkdir(home);
    for (const file of [path.join(home, 'large'), path.join(home, left), path.join(root, left)]) {
      await writeFile(file, '');
      await truncate(file, 200 * MIB);
      await utimes(file, 1_000, 1_000);
    }
    cache.trim();
    (await readdir(home)).sort().should.eql(['large', left]);
    (await readdir(root)).should.containEql(left);
  });

  it('keeps only what the repository has, and does without a folder', async () => {
    for (const name of ['a', 'b']) cache.write('index', name, Buffer.from(name));
    cache.keepOnly('index', new Set(['b']));
    should([cache.read('index', 'a'), cache.read('index', 'b')?.toString()]).eql([undefined, 'b']);
    const file = path.join(root, 'file');
    await writeFile(file, '');
    const none = new RepositoryCache(path.join(file, 'below'), 'place');
    none.write('index', 'a', Buffer.from('a'));
    none.writeState('id', {});
    none.keepOnly('index', new Set());
    none.trim();
    should([none.read('index', 'a'), none.readState('id')]).eql([undefined, undefined]);
    await mkdir(path.join(root, 'state'));
  });
});
