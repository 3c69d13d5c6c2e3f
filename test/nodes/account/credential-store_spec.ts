import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { CredentialStore } from '../../../nodes/account/accounts/credential-store';
import { newSignIn } from '../../../nodes/account/accounts/stored-sign-in';
import { TokenJournal } from '../../../nodes/account/accounts/token-journal';
import { StateFile } from '../../../nodes/shared/runtime/state-file';

/** A Node-RED without nodes, credentials and environment variables. */
const RED = {
  nodes: {
    getCredentials: () => undefined,
    addCredentials: () => undefined,
    getNode: () => null,
    eachNode: () => undefined,
  },
  events: new EventEmitter(),
  util: { evaluateNodeProperty: () => '' },
} as unknown as NodeAPI;

describe('CredentialStore', () => {
  let userDir: string;
  beforeEach(async () => (userDir = await mkdtemp(path.join(tmpdir(), 'credentials-'))));
  afterEach(() => rm(userDir, { recursive: true, force: true }));

  it('a sign-out resolves when the renewed tokens of all accounts are on disk', async () => {
    const open = () =>
      new TokenJournal(new StateFile({ userDir, secret: () => 'secret', warn: () => undefined }));
    const journal = open();
    const [before, after] = ['first', 'renewed'].map((refreshToken) =>
      newSignIn({ accessToken: '', refreshToken }, {}),
    );
    void journal.write('renewed', after!, before!);
    await new CredentialStore(RED, journal).clearTokens('signed out');
    should(open().read('renewed')?.refreshToken).equal('renewed');
  });
});
