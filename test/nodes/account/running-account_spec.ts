import 'should';
import { setImmediate } from 'node:timers/promises';
import { RunningAccount } from '../../../nodes/account/accounts/running-account';
import { HttpClient, requestServiceAccountToken, systemClock } from '../../../src/index';
import { parseServiceAccountKey } from '../../../src/auth/service-account';
import { startLocalDrive } from '../../local-drive';
import { FakeClock } from '../../support/clock';
import { accountSettings, ACCESS_TOKEN, CLIENT, customAccount } from '../../support/node-red/account';

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

  it('After a sign-in as another user, the root and the folders of the user before aren’t used any more', async () => {
    const drive = await startLocalDrive({ clients: [{ ...CLIENT }], token: ACCESS_TOKEN });
    // A service account has a root of its own, as another user has.
    const key = drive.addServiceAccount();
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    const settings = accountSettings(customAccount(drive.url), client);
    const account = new RunningAccount({
      clock: systemClock,
      tokens: { accessToken: ACCESS_TOKEN, refreshToken: '' },
      save: () => undefined,
    });
    const http = new HttpClient({ timeout: 10_000 });
    const openFolder = (): Promise<string> =>
      account.client(settings).paths.resolveFolder({ path: '/Backups', createMissing: true }, {});
    const isRoot = (id = ''): Promise<boolean> => account.client(settings).isRoot(id);
    try {
      const before = await openFolder();
      (await isRoot(drive.files.rootId)).should.be.true();
      await drive.files.share(before, key.client_email);
      const request = {
        key: parseServiceAccountKey(JSON.stringify(key)),
        ...{ tokenUrl: key.token_uri, scope: settings.scope, subject: '' },
      };
      account.replaceTokens(await requestServiceAccountToken({ http, clock: systemClock }, request));
      const after = await openFolder();
      after.should.not.equal(before);
      (await isRoot(drive.files.find(after)?.parent)).should.be.true();
    } finally {
      http.close();
      await account.close();
      await drive.close();
    }
  });
});
