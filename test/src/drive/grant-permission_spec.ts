/** Permissions whose expiration is set in a second request. */
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

const DAY = 24 * 3_600_000;

describe('granting a permission', () => {
  const fixture = driveFixture();

  it('a share that is cancelled before its expiration is set leaves no permission', async () => {
    const { drive, client } = fixture;
    const id = await drive.files.add({ name: 'a.txt', content: 'x' });
    const controller = new AbortController();
    const match = { method: 'POST' };
    // The first request is refused because of the expiration. The second one is processed, and then cancelled.
    const until = (): Promise<void> => {
      const stalled = new Promise<void>((resolve) =>
        controller.signal.addEventListener('abort', () => resolve()),
      );
      drive.faults.add({ kind: 'stallResponse', bytes: 5, match, until: stalled });
      return Promise.resolve();
    };
    drive.faults.add({ kind: 'delay', match, until });
    const request = {
      ...{ id, fields: 'id', role: 'reader', notify: false, message: '', discoverable: false },
      grantee: { type: 'user', name: 'ann@example.com' } as const,
      expires: new Date(Date.now() + 3 * DAY),
    };
    const shared = rejected(client.share(request, { signal: controller.signal }), 'cancelled');
    const permissions = async (): Promise<unknown[]> =>
      (await client.listSharing({ id, fields: 'id' })).permissions;
    while ((await permissions()).length === 1);
    controller.abort();
    await shared;
    (await permissions()).length.should.equal(1);
  });
});
