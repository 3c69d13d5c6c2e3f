/** What a dialog says when the drive of its account can't be reached. */
import { EventEmitter } from 'node:events';
import type { Request } from 'express';
import type { NodeAPI } from 'node-red';
import should from 'should';
import {
  type RequestTimeout,
  accountEndpoint,
  offerAccountClients,
} from '../../../nodes/shared/admin/account-client';
import type { StartedWork } from '../../../nodes/shared/contract/dialog-api';
import { DriveError, cancelled } from '../../../src/index';
import type { AccessTokens } from '../../../src/types';
import { type TestClient, createTestClient, staticTokens } from '../../support/client/test-client';
import { useScriptedService } from '../../support/http/scripted-service';
import { type SilentHost, startMuteHost, startUnresponsiveHost } from '../../support/http/silent-host';
import { CREDENTIALS } from '../../support/node-red/account';
import { type AdminCalls, helperAdmin } from '../../support/node-red/account-admin';
import { load, useNodeRed } from '../../support/node-red/load';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';

/** ms */
const SILENCE = 20_000;

describe('requests of a dialog to an account', () => {
  const clock = useRuntimeClock();
  const service = useScriptedService();
  let silent: SilentHost;
  let test: TestClient;
  before(async () => (silent = await startMuteHost()));
  after(() => silent.close());
  afterEach(() => test.close());

  type Operation = Parameters<typeof accountEndpoint>[1];
  const aboutUser: Operation = (client, _request, call) => client.getAbout('user', call);

  function ask(
    ms: number,
    { url = `http://${silent.host}`, tokens = staticTokens, operation = aboutUser } = {},
  ): Promise<object> {
    test = createTestClient(url, { tokens });
    const RED = { events: new EventEmitter() } as unknown as NodeAPI;
    offerAccountClients(RED, { use: (_id, operation) => operation(test.client) });
    const timeout: RequestTimeout = { ms, text: 'timeout_look' };
    const endpoint = accountEndpoint(RED, operation, timeout);
    return clock().until(endpoint({ params: { id: 'account' } } as unknown as Request) as Promise<object>);
  }

  for (const ms of [60_000, 50])
    it(`the failure of the last attempt is the reason while a token is awaited, at most ${ms} ms`, async () => {
      const refused = new DriveError('bad_response');
      const tokens: AccessTokens = {
        ...staticTokens,
        get: (call) => {
          call?.onWait?.(1_000, refused);
          return new Promise((_resolve, reject) =>
            call?.signal?.addEventListener('abort', () => reject(cancelled())),
          );
        },
      };
      await ask(ms, { tokens }).should.be.rejectedWith({ code: 'bad_response' });
    });

  for (const [name, first] of Object.entries<Operation>({
    response: aboutUser,
    'cancelled request': async (client, request, call) => {
      const signal = AbortSignal.timeout(1);
      await aboutUser(client, request, { ...call, signal }).should.be.rejectedWith({ code: 'cancelled' });
      return {};
    },
  }))
    it(`work on this machine after a ${name} may take longer than a drive may be silent`, async () => {
      service.onRequest(() => ({ body: { user: {} } }));
      const url = name === 'response' ? service.url : undefined;
      const operation: Operation = async (client, request, call) => {
        await first(client, request, call);
        await clock().sleep(2 * SILENCE, call.signal);
        return { done: true };
      };
      (await ask(60_000, { ...(url && { url }), operation })).should.eql({ done: true });
    });

  it('a request that takes too long is one although requests are sent', async () => {
    await ask(50).should.be.rejectedWith({ code: 'timeout', text: 'timeout_look' });
  });
});

describe('dialogs of an account whose drive never responds', () => {
  useNodeRed();
  const clock = useRuntimeClock();
  let closeHost: () => void;
  afterEach(() => closeHost());

  const body = (settings: object) => ({
    settings: { folder: '/Backups', folderType: 'str', which: 'newest', ...settings },
    ...{ backup: 'deadbeef', secrets: { passphrase: 'correct horse' } },
  });
  const restore = (path: string, from: string) => (admin: AdminCalls) =>
    admin.callNode('restore', 'POST', `/account/${path}`, body({ from }));
  /** The dialog asks for its state until it has ended. */
  const work = (path: string, from: string) => async (admin: AdminCalls) => {
    const { work: id } = (await restore(path, from)(admin)).body as unknown as StartedWork;
    for (let asked = 1; ; asked++) {
      const state = await admin.callNode('restore', 'GET', `/work/${id}`);
      if (state.body?.['state'] !== 'running' || asked === 5) return state;
    }
  };
  const requests: Record<string, (admin: AdminCalls) => Promise<{ body: object | undefined }>> = {
    'Test connection': (admin) => admin.call('GET', '/account/connection'),
    'the list of a folder': (admin) => admin.call('GET', '/account/files'),
    Browse: restore('backups', 'archives'),
    Entries: work('entries', 'archives'),
    'Check now': work('check', 'archives'),
    'Browse snapshots': restore('backups', 'snapshots'),
    'Entries of a snapshot': work('entries', 'snapshots'),
    'Check now of a snapshot': work('check', 'snapshots'),
  };
  const hosts = { 'never accepts': startUnresponsiveHost, 'never answers': startMuteHost };
  for (const [does, start] of Object.entries(hosts))
    for (const accessToken of ['', 'current'])
      it(`each request ends with that reason: a host that ${does}, ${accessToken || 'no'} token`, async () => {
        const { host, sockets, close } = await start();
        closeHost = close;
        const account = { ...CREDENTIALS, accessToken };
        const nodes = [{ id: 'n', type: 'cloud-drive-restore' }];
        await load(nodes, { url: `http://${host}`, credentials: { account } });
        const { admin, close: closeAdmin } = await helperAdmin();
        for (const [name, send] of Object.entries(requests)) {
          const isSilent = new Promise<void>((resolve) => {
            clock().onSleep = (ms) => void (ms === SILENCE && resolve());
          });
          const sent = send(admin);
          await Promise.race([isSilent, sent]);
          await clock().advance(SILENCE);
          const { body } = await sent;
          should(body).have.propertyByPath('error', 'code').equal('timeout', name);
          should(body).have.propertyByPath('error', 'message').startWith(host, name);
          clock().sleeping.should.equal(0, name);
        }
        closeAdmin();
        // The request for a token isn't cancelled, because the flows need it too.
        while (accessToken && sockets.size > 0) await new Promise(setImmediate);
      });
});
