import 'should';
import { cancelled } from '../../../../src/errors';
import { driveError } from '../../../support/client/drive-error';
import { type RemovalResult, removeExpired } from '../../../../src/backup/retention/remove-expired';
import type { DriveFile } from '../../../../src/types';

describe('removeExpired', () => {
  /** Removes `2`, `3` and `4`, the oldest first. */
  function remove(removeOne: (id: string) => Promise<void>): Promise<RemovalResult> {
    const files = ['1', '2', '3', '4'].map((id): DriveFile => ({ id }));
    return removeExpired(
      { kept: files.slice(0, 1), counted: 1, removed: files.slice(1) },
      { minimum: 1, dateFrom: 'name', getMetadata: (id) => Promise.resolve({ id }), remove: removeOne },
    );
  }

  it('after a cancellation, the result lists what was removed, what failed and what stays', async () => {
    const denied = driveError('permission_denied');
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

  for (const [title, gone, minimum, expected] of [
    ['is still there', [], 1, { kept: '1', removed: '234' }],
    ['is gone', ['1'], 1, { kept: '21', removed: '34' }],
    ['is gone, like the next one', ['1', '2'], 1, { kept: '321', removed: '4' }],
    ['is gone, and two have to stay', ['1'], 2, { kept: '321', removed: '4' }],
    ['and all others are gone', ['1', '2', '3', '4'], 1, { kept: '4321', removed: '' }],
  ] as const)
    it(`with a minimum of ${minimum}, if a file that is kept ${title}, ${expected.removed.length} are removed`, async () => {
      const files = ['1', '2', '3', '4'].map((id): DriveFile => ({ id }));
      const decision = { kept: files.slice(0, 1), counted: 1, removed: files.slice(1) };
      const ids = (list: readonly DriveFile[]): string => list.map(({ id }) => id).join('');
      const { kept, removed } = await removeExpired(decision, {
        minimum,
        dateFrom: 'name',
        getMetadata: (id) => Promise.resolve({ id, trashed: gone.some((each) => each === id) }),
        remove: () => Promise.resolve(),
      });
      [...ids(kept)]
        .sort()
        .join('')
        .should.equal([...expected.kept].sort().join(''));
      ids(removed).should.equal(expected.removed);
    });
});
