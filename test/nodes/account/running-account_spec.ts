import 'should';
import { setImmediate } from 'node:timers/promises';
import { RunningAccount } from '../../../nodes/account/accounts/running-account';
import { FakeClock } from '../../support/clock';

describe('RunningAccount', () => {
  it('An account that is closed before an earlier refresh has finished lets the next one wait for it, too', async () => {
    let finish = (): void => undefined;
    const account = new RunningAccount({
      clock: new FakeClock(),
      tokens: { accessToken: '', refreshToken: 'R' },
      save: () => undefined,
      earlier: new Promise<void>((resolve) => (finish = resolve)),
    });
    const events: string[] = [];
    await account.close();
    const settled = account.settled.then(() => events.push('settled'));
    await setImmediate();
    events.push('finished');
    finish();
    await settled;
    events.should.deepEqual(['finished', 'settled']);
  });
});
