/** Transfers of several files, one of which fails with an error that is no DriveError: a mistake in this program. */
import 'should';
import { Semaphore } from '../../../src/concurrency/semaphore';
import { abortable } from '../../../src/concurrency/abortable';
import { DRIVE_NAMES } from '../../../src/disk/disk-names';
import { Plan } from '../../../src/sync/plan';
import { SyncFolder } from '../../../src/sync/sync-folder';
import { type SyncContext, SyncRun } from '../../../src/sync/sync-run';
import { transferFiles } from '../../../src/sync/transfer-files';
import { FakeClock } from '../../support/clock';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

describe('transferFiles', () => {
  const request = { ...SYNC_DEFAULTS, direction: 'up', localPath: '/x', folderId: 'top' } as const;

  function runWith(sizes: Readonly<Record<string, number>>): SyncRun {
    const plan = new Plan(request, DRIVE_NAMES);
    const top = new SyncFolder(undefined, '');
    for (const [name, size] of Object.entries(sizes)) {
      const local = { size, mtimeMs: 0 };
      plan.addTransfer({ folder: top, name, local, remote: undefined, isRenamed: false });
    }
    const upload = { drive: { clock: new FakeClock() }, transfers: new Semaphore(2) };
    return new SyncRun({ upload } as unknown as SyncContext, request, { top, plan, call: {} });
  }

  for (const failing of ['large', 'small']) {
    it(`an unexpected error of the ${failing} file is thrown, not the cancellation of the other`, async () => {
      const run = runWith({ large: 2, small: 1 });
      const error = new TypeError('unexpected');
      const write = ({ name }: { name: string }): Promise<void> =>
        name === failing ? Promise.reject(error) : abortable(new Promise(() => undefined), run.signal);
      const setTime = (): Promise<'set'> => Promise.resolve('set');
      await transferFiles(run, { write, setTime }).should.be.rejectedWith(error);
    });
  }
});
