import 'should';
import { DriveError, cancelled } from '../../../src/errors';
import { type RemovalResult, removeExpired } from '../../../src/retention/remove-expired';
import type { DriveFile } from '../../../src/types';

describe('removeExpired', () => {
  /** Removes `2`, `3` and `4`, the oldest first. */
  function remove(removeOne: (id: string) => Promise<void>): Promise<RemovalResult> {
    const files = ['1', '2', '3', '4'].map((id): DriveFile => ({ id }));
    return removeExpired(
      { kept: files.slice(0, 1), removed: files.slice(1) },
      { dateFrom: 'name', getMetadata: (id) => Promise.resolve({ id }), remove: removeOne },
    );
  }

  it('after a cancellation, the result lists what was removed, what failed and what stays', async () => {
    const denied = new DriveError('permission_denied');
    const result = await remove((id) => {
      if (id === '4') return Promise.resolve();
      return Promise.reject(id === '3' ? denied : cancelled());
    });
    result.should.eql({
      kept: [{ id: '2' }, { id: '1' }],
      removed: [{ id: '4' }],
      failed: [{ file: { id: '3' }, error: denied }],
      cancelled: cancelled(),
    });
  });

  it('without a cancellation, the result has no error', async () => {
    (await remove(() => Promise.resolve())).should.eql({
      kept: [{ id: '1' }],
      removed: [{ id: '2' }, { id: '3' }, { id: '4' }],
      failed: [],
    });
  });
});
