/** Connections persist (RFC 9112 9.3) after responses that are small enough to be read to their end. */
import { HttpClient } from '../../../src/http/client';
import { discard } from '../../../src/http/json';
import { useScriptedService } from '../../support/http/scripted-service';

const MAX_DISCARDED = 64 * 1024;

describe('discard', () => {
  const service = useScriptedService();
  const http = new HttpClient({ timeout: 5_000 });

  /** @returns whether the next request uses the same connection */
  async function isConnectionReused(length: number): Promise<boolean> {
    const sockets = new Set<unknown>();
    service.onRequest((_request, { request }) => {
      sockets.add(request.socket);
      return { body: Buffer.alloc(length) };
    });
    for (let count = 0; count < 2; count++) {
      const { body } = await http.send({ method: 'GET', url: service.url });
      const closed = new Promise((resolve) => body.once('close', resolve));
      discard(body);
      await closed;
    }
    return sockets.size === 1;
  }

  it('discard lets the connection of a small response be reused', async () => {
    (await isConnectionReused(0)).should.be.true();
    (await isConnectionReused(MAX_DISCARDED)).should.be.true();
  });

  it('discard closes the connection of a large response', async () => {
    (await isConnectionReused(5e6)).should.be.false();
  });
});
