/** Service accounts that were tested in a dialog and aren't deployed yet. */
import { generateKeyPairSync } from 'node:crypto';
import { accountSettings } from '../../support/node-red/account';
import 'should';
import type { AccountRegistry } from '../../../nodes/account/accounts/account-registry';
import { AdminClients } from '../../../nodes/account/accounts/admin-clients';
import type { CredentialStore } from '../../../nodes/account/accounts/credential-store';
import { rejected } from '../../support/client/rejected';
import { FakeClock } from '../../support/clock';

const MINUTE = 60_000;
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const nothing = (): Promise<void> => Promise.resolve();

describe('AdminClients', () => {
  let clock: FakeClock;
  let clients: AdminClients;
  /** Whether the account is deployed. */
  let isDeployed: boolean;
  beforeEach(() => {
    isDeployed = false;
    clock = new FakeClock('manual');
    const node = { drive: () => undefined };
    const accounts = {
      instance: () => (isDeployed ? { node } : undefined),
      checkUnambiguous: () => undefined,
    } as unknown as AccountRegistry;
    const credentials = { undeployedSignIn: () => undefined } as unknown as CredentialStore;
    clients = new AdminClients(accounts, credentials, clock, clock);
  });

  const settings = () =>
    accountSettings(
      { service: 'custom', baseUrl: 'https://drive.example', auth: 'service-account' },
      { serviceAccountKey: JSON.stringify(KEY) },
    );
  const KEY = {
    ...{ type: 'service_account', client_email: 'robot@example.com', private_key_id: '1' },
    ...{ private_key: privateKey, token_uri: 'https://drive.example/token' },
  };
  const test = (): Promise<void> => clients.useTested('id', settings(), nothing);
  const isForgotten = async (): Promise<void> => {
    await rejected(clients.use('id', nothing), 'not_configured');
  };

  it('a tested service account is forgotten 30 minutes after it was last used', async () => {
    await test();
    await clock.advance(29 * MINUTE);
    await clients.use('id', nothing);
    await clock.advance(29 * MINUTE);
    await clients.use('id', nothing);
    await clock.advance(30 * MINUTE);
    await isForgotten();
  });

  it('a tested service account is forgotten when it is deployed or deleted', async () => {
    await test();
    clients.forget('id');
    await isForgotten();
  });

  it('a service account is not kept if it is deployed, or if its test fails', async () => {
    isDeployed = true;
    await test();
    isDeployed = false;
    await isForgotten();
    await clients.useTested('id', settings(), () => Promise.reject(new Error('refused'))).catch(nothing);
    await isForgotten();
  });
});
