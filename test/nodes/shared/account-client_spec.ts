/** What a dialog says when the drive of its account can't be reached. */
import { EventEmitter } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import type { Request } from 'express';
import type { NodeAPI } from 'node-red';
import { accountEndpoint, offerAccountClients } from '../../../nodes/shared/admin/account-client';
import { DriveError, cancelled } from '../../../src/index';
import type { AccessTokens } from '../../../src/types';
import { type TestClient, createTestClient, staticTokens } from '../../support/client/test-client';

describe('requests of a dialog to an account', () => {
  /** Accepts connections, and never answers. */
  let silent: Server;
  let host: string;
  let test: TestClient;
  before(async () => {
    silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  after(() => silent.close());
  afterEach(() => test.close());

  function ask(timeout: { ms: number; silence?: number }, tokens = staticTokens): Promise<object> {
    test = createTestClient(`http://${host}`, { tokens });
    const RED = { events: new EventEmitter() } as unknown as NodeAPI;
    offerAccountClients(RED, { use: (_id, operation) => operation(test.client) });
    const list = accountEndpoint(RED, (client, _request, call) => client.getAbout('user', call), {
      text: 'timeout_look',
      ...timeout,
    });
    return list({ params: { id: 'account' } } as unknown as Request) as Promise<object>;
  }

  it('a drive that never answers is the reason, not that too much was asked', async () => {
    await ask({ ms: 60_000, silence: 50 }).should.be.rejectedWith({
      ...{ code: 'timeout', text: 'timeout', service: host },
    });
  });

  for (const timeout of [{ ms: 60_000, silence: 50 }, { ms: 50 }])
    it(`the failure of the last attempt is the reason while a token is awaited: ${Object.keys(timeout).join()}`, async () => {
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
      await ask(timeout, tokens).should.be.rejectedWith({ code: 'bad_response' });
    });

  it('a request that takes too long is one although requests are sent', async () => {
    await ask({ ms: 50 }).should.be.rejectedWith({ code: 'timeout', text: 'timeout_look' });
  });
});
