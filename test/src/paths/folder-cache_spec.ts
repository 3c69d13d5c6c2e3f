/** What is remembered of a path, and for how long: docs/how-it-works.md, "Paths". */
import should from 'should';
import { FolderCache } from '../../../src/paths/folder-cache';
import { FakeClock } from '../../support/clock';

describe('folders that are known for a while', () => {
  const place = { folderId: 'p', name: 'n' };

  it('are known as the look that began last has seen them, whichever ends last', () => {
    const known = new FolderCache(new FakeClock());
    const [early, late] = [known.startLookup(), known.startLookup()];
    known.set({ ...place, id: 'now', epoch: late });
    known.set({ ...place, id: 'before', epoch: early });
    should(known.get(place)).equal('now');
    known.set({ ...place, id: 'later', epoch: known.startLookup() });
    should(known.get(place)).equal('later');
  });

  it('FolderCache keeps its entries for a minute although the system clock is set', () => {
    const clock = new FakeClock();
    const cache = new FolderCache(clock);
    cache.set({ ...place, id: 'folder', epoch: cache.startLookup() });
    clock.jump(3_600_000);
    should(cache.get(place)).equal('folder');
    clock.jump(-7_200_000);
    clock.elapse(60_000);
    should(cache.get(place)).be.undefined();
  });
});
