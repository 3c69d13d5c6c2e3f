/** The folder cache: docs/how-it-works.md, "Paths". */
import should from 'should';
import { FolderCache } from '../../../src/paths/folder-cache';
import { FakeClock } from '../../support/clock';

describe('FolderCache', () => {
  const key = { folderId: 'p', name: 'n' };

  it('FolderCache keeps the result of the lookup that started last, even if an earlier one ends later', () => {
    const cache = new FolderCache(new FakeClock());
    const [early, late] = [cache.startLookup(), cache.startLookup()];
    cache.set({ ...key, id: 'now', epoch: late });
    cache.set({ ...key, id: 'before', epoch: early });
    should(cache.get(key)).equal('now');
    cache.set({ ...key, id: 'later', epoch: cache.startLookup() });
    should(cache.get(key)).equal('later');
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
