/** Permissions whose expiration is set in a second request. */
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import should from 'should';
import type { Permission } from '../../../src/drive/permissions';
import { inheritedError, isInheritedRefusal, rolesOf } from '../../../src/drive/grant-permission';
import { driveError } from '../../support/client/drive-error';
import { createDriveContext } from '../../support/client/drive-context';
import { useScriptedService } from '../../support/http/scripted-service';

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

const READER: Permission = { id: 'p', type: 'user', role: 'reader' };

describe('rolesOf', () => {
  const cases: [string, Permission['permissionDetails'], string | undefined, string | undefined][] = [
    ['without details', undefined, 'reader', undefined],
    ['with empty details', [], 'reader', undefined],
    ['of the file itself', [{ role: 'writer', inherited: false }], 'writer', undefined],
    ['of the file itself without a role', [{}], 'reader', undefined],
    ['from above', [{ role: 'writer', inherited: true }], undefined, 'writer'],
    ['from above without a role', [{ inherited: true }], undefined, 'reader'],
    [
      'from several places',
      [{ role: 'commenter', inherited: true }, { role: 'writer' }, { role: 'organizer', inherited: true }],
      'writer',
      'organizer',
    ],
  ];
  for (const [description, permissionDetails, direct, inherited] of cases) {
    it(`the roles of a permission ${description} are the direct one and the highest from above`, () => {
      const permission = permissionDetails ? { ...READER, permissionDetails } : READER;
      should(rolesOf(permission)).deepEqual({ direct, inherited });
    });
  }
});

describe('isInheritedRefusal', () => {
  it('only an error whose reason names the inheritance is such a refusal', () => {
    const refusal = (reason?: string) => driveError('permission_denied', reason ? { reason } : {});
    should(isInheritedRefusal(refusal('cannotDeleteInheritedPermission'))).equal(true);
    should(isInheritedRefusal(refusal('forbidden'))).equal(false);
    should(isInheritedRefusal(refusal())).equal(false);
    should(isInheritedRefusal(new Error('Inherited'))).equal(false);
  });
});

describe('inheritedError', () => {
  const service = useScriptedService();
  const FOLDERS: Record<string, object> = {
    a: { id: 'a', name: 'inner', parents: ['b'] },
    b: { id: 'b', name: 'outer' },
  };
  const paramsFor = async (permission: Permission, file: object): Promise<object> => {
    service.onRequest(({ path }) => {
      const [, id = '', permissions] = /files\/([^/]+)(\/permissions)?$/.exec(path) ?? [];
      if (permissions) return { body: { permissions: [READER] } };
      return FOLDERS[id] ? { body: FOLDERS[id] } : { status: 404 };
    });
    const shared = { drive: createDriveContext(service.url), file: { id: 'f', ...file }, call: {} };
    return (await inheritedError(shared, permission, 'conflict_inherited')).params;
  };
  const from = (inheritedFrom: string) => ({ permissionDetails: [{ inherited: true, inheritedFrom }] });

  const cases: [string, Permission, object, object][] = [
    [
      'a user by address, and the folder that the service names',
      { ...READER, emailAddress: 'me@a.example', ...from('a') },
      {},
      { who: 'me@a.example', role: 'reader', from: 'inner' },
    ],
    [
      'a domain, and the highest folder with the permission',
      { ...READER, type: 'domain', domain: 'a.example' },
      { parents: ['a'] },
      { who: 'a.example', role: 'reader', from: 'outer' },
    ],
    [
      'anyone, and no folder if the permission comes from none',
      { ...READER, id: 'q', type: 'anyone' },
      { parents: ['a'] },
      { who: 'anyone', from: '…' },
    ],
    ['no folder if the file has no parents', { ...READER, type: 'anyone' }, {}, { from: '…' }],
    ['no folder without access to it', { ...READER, ...from('secret') }, {}, { from: '…' }],
  ];
  for (const [description, permission, file, expected] of cases) {
    it(`the error for an inherited permission names ${description}`, async () => {
      should(await paramsFor(permission, file)).containEql(expected);
    });
  }
});
