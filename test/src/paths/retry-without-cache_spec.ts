/** Work that fails because a cached folder is gone. */
import should from 'should';
import { DriveError } from '../../../src/errors';
import { FolderCache } from '../../../src/paths/folder-cache';
import { retryWithoutCache } from '../../../src/paths/retry-without-cache';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

const KEY = { folderId: 'root', name: 'Backups' };

describe('retryWithoutCache', () => {
  const filledCache = (): FolderCache => {
    const cache = new FolderCache(new FakeClock());
    cache.set({ ...KEY, id: 'F', epoch: cache.startLookup() });
    return cache;
  };
  /** Work that looks the folder up in the cache, and the ids it has used. */
  const lookup = (cache: FolderCache, code: 'not_found' | 'conflict' = 'not_found') => {
    const ids: (string | undefined)[] = [];
    const work = (): Promise<string> => {
      const id = cache.get(KEY);
      ids.push(id);
      return id === undefined ? Promise.resolve('done') : Promise.reject(new DriveError(code));
    };
    return { ids, work };
  };

  it('retryWithoutCache repeats work once with an empty cache after not_found in a cached folder', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache);
    should(await retryWithoutCache(work, { cache })).equal('done');
    should(ids).deepEqual(['F', undefined]);
  });

  it('retryWithoutCache doesn’t repeat work that fails with another error', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache, 'conflict');
    await rejected(retryWithoutCache(work, { cache }), 'conflict');
    should(ids).deepEqual(['F']);
  });

  it('retryWithoutCache doesn’t repeat work that used no cached folder', async () => {
    let count = 0;
    const work = (): Promise<void> => {
      count += 1;
      return Promise.reject(new DriveError('not_found'));
    };
    await rejected(retryWithoutCache(work, { cache: filledCache() }), 'not_found');
    count.should.equal(1);
  });

  it('retryWithoutCache doesn’t repeat work that may not be repeated', async () => {
    const cache = filledCache();
    const { ids, work } = lookup(cache);
    await rejected(retryWithoutCache(work, { cache, mayRepeat: () => false }), 'not_found');
    should(ids).deepEqual(['F']);
    should(cache.get(KEY)).equal('F');
  });
});
