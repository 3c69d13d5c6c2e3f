/** The folder cache: docs/how-it-works.md, "Paths". */
import should from 'should';
import { DriveError } from '../../../src/errors';
import { FolderCache } from '../../../src/drive/folder-cache';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const key = { folderId: 'p', name: 'n' };

describe('FolderCache', () => {
  it('FolderCache keeps the result of the lookup that started last, even if an earlier one ends later', () => {
    const cache = new FolderCache(new FakeClock());
    const [early, late] = [cache.startLookup(), cache.startLookup()];
    cache.set({ ...key, id: 'now', epoch: late });
    cache.set({ ...key, id: 'before', epoch: early });
    should(cache.get(key)).equal('now');
    cache.set({ ...key, id: 'later', epoch: cache.startLookup() });
    should(cache.get(key)).equal('later');
  });

  it('FolderCache ignores the result of a lookup that started before it was cleared', () => {
    const cache = new FolderCache(new FakeClock());
    const [early, late] = [cache.startLookup(), (cache.clear(), cache.startLookup())];
    cache.set({ ...key, id: 'before', epoch: early });
    should(cache.get(key)).be.undefined();
    cache.set({ ...key, id: 'now', epoch: late });
    should(cache.get(key)).equal('now');
  });

  it('FolderCache keeps its entries for a minute even if the system clock is changed', () => {
    const clock = new FakeClock();
    const cache = new FolderCache(clock);
    cache.set({ ...key, id: 'folder', epoch: cache.startLookup() });
    clock.jump(3_600_000);
    should(cache.get(key)).equal('folder');
    clock.jump(-7_200_000);
    clock.elapse(60_000);
    should(cache.get(key)).be.undefined();
  });
});

describe('FolderCache.retryWithoutCache', () => {
  const filledCache = (): FolderCache => {
    const cache = new FolderCache(new FakeClock());
    cache.set({ ...key, id: 'F', epoch: cache.startLookup() });
    return cache;
  };
  /** Work that looks the folder up in the cache, and the ids it has used. */
  const lookup = (cache: FolderCache, code: 'not_found' | 'conflict' = 'not_found') => {
    const ids: (string | undefined)[] = [];
    const work = (): Promise<string> => {
      const id = cache.get(key);
      ids.push(id);
      return id === undefined ? Promise.resolve('done') : Promise.reject(new DriveError(code));
    };
    return { ids, work };
  };

  it('retryWithoutCache repeats work once with an empty cache after not_found in a cached folder', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache);
    should(await cache.retryWithoutCache(work)).equal('done');
    should(ids).deepEqual(['F', undefined]);
  });

  it('retryWithoutCache keeps what another lookup finds meanwhile', async () => {
    const cache = filledCache();
    const epoch = cache.startLookup();
    await cache.retryWithoutCache(lookup(cache).work);
    cache.set({ folderId: 'p', name: 'other', id: 'O', epoch });
    should(cache.get({ folderId: 'p', name: 'other' })).equal('O');
  });

  it('retryWithoutCache doesn’t repeat work that fails with another error', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache, 'conflict');
    await rejected(cache.retryWithoutCache(work), 'conflict');
    should(ids).deepEqual(['F']);
  });

  it('retryWithoutCache doesn’t repeat work that used no cached folder', async () => {
    let count = 0;
    const work = (): Promise<void> => {
      count += 1;
      return Promise.reject(new DriveError('not_found'));
    };
    await rejected(filledCache().retryWithoutCache(work), 'not_found');
    count.should.equal(1);
  });

  it('retryWithoutCache doesn’t repeat work that may not be repeated', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache);
    await rejected(
      cache.retryWithoutCache(work, () => false),
      'not_found',
    );
    should(ids).deepEqual(['F']);
    should(cache.get(key)).equal('F');
  });
});
