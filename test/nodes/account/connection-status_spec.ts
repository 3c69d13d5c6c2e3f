/** What the account's dialog shows of a connection, from complete and from incomplete responses. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { connectionStatus } from '../../../nodes/account/admin/connection-status';
import type { Service } from '../../../src/index';
import { createTestClient } from '../../support/client/test-client';
import { useScriptedService } from '../../support/http/scripted-service';

describe('connectionStatus', () => {
  const service = useScriptedService();

  const statusWith = async (about: object, options: Partial<Service> = {}): Promise<object> => {
    service.onRequest(({ path }) => {
      if (path.endsWith('/about')) return { body: about };
      if (path.endsWith('/drives')) return { body: { drives: [{ id: 'd', name: 'Team' }] } };
      return { body: { files: [{ id: 'a', name: 'a.txt' }] } };
    });
    const testClient = createTestClient(service.url, { service: options });
    try {
      return JSON.parse(JSON.stringify(await connectionStatus(testClient.client))) as object;
    } finally {
      testClient.close();
    }
  };

  const quotas: [string, unknown, object | undefined][] = [
    ['a quota', { usage: '5', limit: '10', usageInDriveTrash: '1' }, { usage: 5, limit: 10, inTrash: 1 }],
    ['unlimited storage', { usage: '5', usageInDriveTrash: '1' }, { usage: 5, inTrash: 1 }],
    ['no quota', undefined, undefined],
    ['a quota of null', null, undefined],
    ['a quota without usage', { limit: '10' }, undefined],
    ['a usage that is not a number', { usage: 'much' }, undefined],
  ];
  for (const [description, storageQuota, storage] of quotas) {
    it(`connectionStatus with ${description} shows ${storage ? 'the storage' : 'no storage'}`, async () => {
      const user = { displayName: 'Me' };
      should(await statusWith({ user, storageQuota })).deepEqual({
        account: user,
        ...(storage && { storage }),
      });
    });
  }

  it('connectionStatus of a service account names what was shared with it instead of its storage', async () => {
    const about = { user: { emailAddress: 'robot@a.example' }, storageQuota: { usage: '5' } };
    should(await statusWith(about, { isServiceAccount: true })).deepEqual({
      account: about.user,
      access: { sharedDrives: ['Team'], sharedFiles: ['a.txt'] },
    });
  });

  it('connectionStatus of a service account of a custom service requests nothing else', async () => {
    const about = { user: { emailAddress: 'robot@a.example' } };
    const custom = { can: CAPABILITIES.custom, isServiceAccount: true } as const;
    should(await statusWith(about, custom)).deepEqual({ account: about.user });
    service.requests.length.should.equal(1);
  });
});
