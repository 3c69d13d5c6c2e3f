/**
 * With `CLOUD_DRIVE_RESTIC_ORACLE=1`, each test ends with restic: see check-with-restic.ts, which is loaded only then.
 */
import { createRequire } from 'node:module';
import type * as CheckWithRestic from './check-with-restic';

const isOn = process.env['CLOUD_DRIVE_RESTIC_ORACLE'] === '1';
let reason: string | undefined;

/** For a test after which restic can't check, restore or continue the repository, or restores something else. */
export function withoutRestic(why: string): void {
  reason = why;
}

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    reason = undefined;
    const test = this.currentTest as { fn?: Mocha.AsyncFunc } | undefined;
    const { fn } = test ?? {};
    if (!isOn || !test || !fn || fn.length > 0) return;
    const { checkRepositories } = createRequire(__filename)('./check-with-restic') as typeof CheckWithRestic;
    // In the test, because a drive may be closed after it.
    test.fn = async function (this: Mocha.Context): Promise<void> {
      await fn.call(this);
      await checkRepositories(reason === undefined);
    };
  },
};
