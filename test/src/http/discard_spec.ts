/** A connection is kept (RFC 9112 9.3) where what is left of an answer is worth reading. */
import { HttpClient } from '../../../src/http/client';
import { discard } from '../../../src/http/json';
import { ScriptedService } from '../../support/http/scripted-service';

const KEPT = 64 * 1024;

describe('answers that nobody needs', () => {
  let service: ScriptedService;
  let http: HttpClient;

  beforeEach(async () => {
    service = await ScriptedService.start();
    http = new HttpClient({ timeout: 5_000 });
  });
  afterEach(async () => {
    http.close();
    await service.close();
  });

  /** @returns whether the next request finds the connection open and free */
  async function isUsedAgain(length: number): Promise<boolean> {
    const used = new Set<unknown>();
    service.onRequest((_seen, { request }) => {
      used.add(request.socket);
      return { body: Buffer.alloc(length) };
    });
    for (let count = 0; count < 2; count++) {
      const { body } = await http.send({ method: 'GET', url: service.url });
      const closed = new Promise((resolve) => body.once('close', resolve));
      discard(body);
      await closed;
    }
    return used.size === 1;
  }

  it('leave their connection to the next where they are small', async () => {
    (await isUsedAgain(0)).should.be.true();
    (await isUsedAgain(KEPT)).should.be.true();
  });

  it('end with their connection where they are not', async () => {
    (await isUsedAgain(5e6)).should.be.false();
  });
});
