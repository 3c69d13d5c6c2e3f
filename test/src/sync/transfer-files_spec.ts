/** The order of transfers, and one that fails with an error that is no DriveError: a mistake in this program. */
import 'should';
import { Semaphore } from '../../../src/core/semaphore';
import { abortable } from '../../../src/core/abort';
import { DRIVE_NAMES } from '../../../src/sync/disk-names';
import { Plan } from '../../../src/sync/plan';
import { SyncFolder } from '../../../src/sync/sync-folder';
import { type SyncContext, SyncRun } from '../../../src/sync/sync-run';
import { transferFiles } from '../../../src/sync/transfer-files';
import { FakeClock } from '../../support/clock';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

describe('transferFiles', () => {
  const request = { ...SYNC_DEFAULTS, direction: 'up', localPath: '/x', folderId: 'top' } as const;

  const setTime = (): Promise<'set'> => Promise.resolve('set');

  /** @param sizes of the files in each folder */
  function runWith(sizes: Readonly<Record<string, Readonly<Record<string, number>>>>): SyncRun {
    const plan = new Plan(request, DRIVE_NAMES);
    const top = new SyncFolder(undefined, '');
    for (const [folderName, files] of Object.entries(sizes)) {
      const folder = new SyncFolder(top, folderName);
      for (const [name, size] of Object.entries(files)) {
        const local = { size, mtimeMs: 0 };
        plan.addTransfer({ folder, name, local, remote: undefined, isRenamed: false });
      }
    }
    const upload = { drive: { clock: new FakeClock() }, transfers: new Semaphore(2) };
    return new SyncRun({ upload } as unknown as SyncContext, request, { top, plan, listedAt: 0, call: {} });
  }

  for (const failing of ['large', 'small']) {
    it(`an unexpected error of the ${failing} file is thrown, not the cancellation of the other`, async () => {
      const run = runWith({ folder: { large: 2, small: 1 } });
      const error = new TypeError('unexpected');
      const write = ({ name }: { name: string }): Promise<void> =>
        name === failing ? Promise.reject(error) : abortable(new Promise(() => undefined), run.signal);
      await transferFiles(run, { write, setTime }).should.be.rejectedWith(error);
    });
  }

  it('small files of about the same size are transferred folder by folder, beside the largest file', async () => {
    const run = runWith({
      a: { a1: 1_100, a2: 1_700, large: 1_000_000, a3: 1_300 },
      b: { b1: 1_500, b2: 1_200, tiny: 1, b3: 1_600 },
    });
    const written: string[] = [];
    let endLarge: () => void;
    const othersDone = new Promise<void>((resolve) => (endLarge = resolve));
    const write = async ({ name }: { name: string }): Promise<void> => {
      written.push(name);
      if (written.length === 8) endLarge();
      if (name === 'large') await othersDone;
    };
    await transferFiles(run, { write, setTime });
    written.should.eql(['large', 'tiny', 'b3', 'b2', 'b1', 'a3', 'a2', 'a1']);
  });
});
