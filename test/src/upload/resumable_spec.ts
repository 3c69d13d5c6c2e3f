/** Large files, in a session. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import should from 'should';
import type { AccessTokens, CallOptions } from '../../../src/types';
import { bytes, md5 } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { type Seen, refusal } from '../../support/http/scripted-service';
import { uploadFixture } from '../../support/client/upload-fixture';
import { incomplete } from '../../support/http/upload-service';

const SIZE = 9_000_001;
const content = bytes(SIZE);

describe('resumable upload', () => {
  const fixture = uploadFixture();

  const upload = async (call: CallOptions = {}) =>
    fixture.upload({ path: await fixture.onDisk(content) }, { fields: 'id,name' }, call);

  const puts = () => fixture.service.server.seen.filter(({ method }) => method === 'PUT');
  const ranges = () => puts().map(({ headers }) => headers['content-range']);
  const starts = () =>
    fixture.service.server.seen.filter(({ query }) => query.get('uploadType') === 'resumable');
  const session = () => {
    const [first] = [...fixture.service.sessions.values()].slice(-1);
    if (!first) throw new Error('no session');
    return first;
  };

  function arrived(copies = 1): void {
    fixture.service.files.length.should.equal(copies);
    for (const file of fixture.service.files) md5(file.content).should.equal(md5(content));
  }

  /** Cuts the line while the nth PUT with content comes in, keeping this many bytes of it. */
  function cut(nth: number, keep: number): void {
    let count = 0;
    fixture.service.server.before(({ headers }, { request }) => {
      if (!/^bytes \d/.test(headers['content-range'] ?? '') || ++count !== nth) return {};
      let came = 0;
      request.on('data', (chunk: Buffer) => {
        came += chunk.length;
        if (came < keep) return;
        const offset = Number(/^bytes (\d+)/.exec(headers['content-range'] ?? '')?.[1]);
        session().content = content.subarray(0, offset + keep);
        request.socket.destroy();
      });
      return 'handled';
    });
  }

  for (const keep of [1, 262_144, 3_000_000, SIZE - 1]) {
    it(`goes on behind the ${keep} bytes that are stored after a break`, async () => {
      cut(1, keep);
      await upload();
      arrived();
      ranges().should.deepEqual([
        `bytes 0-${SIZE - 1}/${SIZE}`,
        `bytes */${SIZE}`,
        `bytes ${keep}-${SIZE - 1}/${SIZE}`,
      ]);
      starts().length.should.equal(1);
    });
  }

  it('begins at the first byte where a 308 has no Range, and takes back what the service has lost', async () => {
    cut(1, 5_000_000);
    let asked = 0;
    fixture.service.fault = ({ headers }) => {
      if (headers['content-range'] !== `bytes */${SIZE}` || asked++ > 0) return undefined;
      session().content = Buffer.alloc(0);
      return incomplete(0);
    };
    await upload();
    arrived();
    should(ranges().at(-1)).equal(`bytes 0-${SIZE - 1}/${SIZE}`);
  });

  it('goes back where the service holds less than it had said before', async () => {
    const [said, held] = [6 * 262_144, 262_144];
    cut(2, 1_000_000);
    fixture.service.fault = ({ method, headers }) => {
      const hasSaid = puts().length > 1;
      if (method !== 'PUT' || (hasSaid && headers['content-range'] !== `bytes */${SIZE}`)) return undefined;
      session().content = content.subarray(0, hasSaid ? held : said);
      return incomplete(session().content.length);
    };
    await upload();
    arrived();
    ranges().should.deepEqual([
      `bytes 0-${SIZE - 1}/${SIZE}`,
      `bytes ${said}-${SIZE - 1}/${SIZE}`,
      `bytes */${SIZE}`,
      `bytes ${held}-${SIZE - 1}/${SIZE}`,
    ]);
  });

  it('goes on at once where the service stores less than it was sent', async () => {
    fixture.service.fault = (seen: Seen) => {
      if (seen.method !== 'PUT' || session().content.length >= 6 * 262_144) return undefined;
      session().content = content.subarray(0, session().content.length + 2 * 262_144);
      return incomplete(session().content.length);
    };
    await upload();
    arrived();
    ranges().length.should.equal(4);
    fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
  });

  it('takes the file from the status where only the last answer was lost', async () => {
    let lost = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT' || lost++ > 0) return undefined;
      fixture.service.answer(seen);
      return 'reset';
    };
    await upload();
    arrived();
    ranges().should.deepEqual([`bytes 0-${SIZE - 1}/${SIZE}`, `bytes */${SIZE}`]);
  });

  for (const status of [404, 410]) {
    it(`begins a new session when it is gone (${status})`, async () => {
      cut(1, 3_000_000);
      let asked = 0;
      fixture.service.fault = ({ headers }) =>
        headers['content-range']?.startsWith('bytes *') && asked++ === 0 ? { status } : undefined;
      await upload();
      arrived();
      starts().length.should.equal(2);
      should(starts()[0]?.body.toString()).equal(starts()[1]?.body.toString());
    });
  }

  it('settles by the metadata where the file was made, its answer lost and the session gone', async () => {
    let puts = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT') return undefined;
      if (puts++ > 0) return { status: 404 };
      fixture.service.answer(seen);
      return 'reset';
    };
    const { file, created } = await upload();
    arrived();
    created.should.be.true();
    should(file.id).equal(fixture.service.files[0]?.id);
    starts().length.should.equal(2);
  });

  it('refreshes after a 401 in the middle and stays in the session', async () => {
    let renewed = 0;
    const tokens: AccessTokens = {
      get: () => Promise.resolve(renewed ? 'new' : 'old'),
      renew: () => Promise.resolve((renewed++, 'new')),
    };
    fixture.restart({ tokens });
    fixture.service.fault = ({ method, headers }) =>
      method === 'PUT' && headers.authorization === 'Bearer old' ? { status: 401 } : undefined;
    await upload();
    arrived();
    renewed.should.equal(1);
    starts().length.should.equal(1);
    puts()
      .map(({ headers }) => headers.authorization)
      .should.deepEqual(['Bearer old', 'Bearer new']);
  });

  it('survives a 401 that comes before the content has been sent', async () => {
    let count = 0;
    fixture.service.server.before(({ method }, { response }) => {
      if (method !== 'PUT' || count++ > 0) return {};
      response.writeHead(401, { 'Content-Length': '0' }).end();
      return 'handled';
    });
    await upload();
    arrived();
  });

  for (const status of [400, 416]) {
    it(`asks what is stored when a range is refused (${status}), and goes on from there`, async () => {
      let count = 0;
      fixture.service.fault = (seen) => {
        if (seen.method !== 'PUT' || count++ > 0) return undefined;
        session().content = content.subarray(0, 262_144);
        return { status };
      };
      await upload();
      arrived();
      ranges()
        .slice(1)
        .should.deepEqual([`bytes */${SIZE}`, `bytes 262144-${SIZE - 1}/${SIZE}`]);
      fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
    });

    it(`ends where a range is refused (${status}) that is the right one`, async () => {
      fixture.service.fault = ({ headers }) =>
        headers['content-range']?.startsWith('bytes 0-') ? { status } : undefined;
      should((await rejected(upload(), 'bad_response')).status).equal(status);
      ranges().should.deepEqual([`bytes 0-${SIZE - 1}/${SIZE}`, `bytes */${SIZE}`]);
    });
  }

  it('waits and asks again through a burst of 503 and 429, obeying Retry-After', async () => {
    const waits: number[] = [];
    let count = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT') return undefined;
      count += 1;
      if (count <= 3) return { status: 503, headers: { 'Retry-After': '7' } };
      return count <= 5 ? refusal(403, 'userRateLimitExceeded') : undefined;
    };
    await upload({ onWait: (ms) => waits.push(ms) });
    arrived();
    waits.should.deepEqual([7_000, 7_000, 7_000, 4_000, 8_000]);
  });

  it('gives up within the budget where nothing is ever stored', async () => {
    fixture.service.fault = ({ method }) => (method === 'PUT' ? incomplete(0) : undefined);
    const before = fixture.clock.now();
    await rejected(upload(), 'service_unavailable', 'service_unavailable_upload');
    (fixture.clock.now() - before).should.be.belowOrEqual(61_000);
    puts().length.should.be.above(3);
  });

  it('does not give up while bytes move, however long it takes', async () => {
    let breaks = 0;
    fixture.service.fault = (seen) => {
      if (!/^bytes \d/.test(seen.headers['content-range'] ?? '') || breaks >= 8) return undefined;
      breaks += 1;
      fixture.clock.elapse(59_000);
      session().content = content.subarray(0, breaks * 1_000_000);
      return 'reset';
    };
    await upload();
    arrived();
    breaks.should.equal(8);
  });

  it('refuses a quota at once and says which', async () => {
    fixture.service.fault = ({ query }) =>
      query.get('uploadType') ? refusal(403, 'storageQuotaExceeded') : undefined;
    await rejected(upload(), 'quota_exceeded', 'quota_exceeded_storage');
    starts().length.should.equal(1);
  });

  it('ends its waiting when it is cancelled', async () => {
    const abort = new AbortController();
    fixture.service.fault = ({ method }) => (method === 'PUT' ? { status: 503 } : undefined);
    await rejected(upload({ signal: abort.signal, onWait: () => abort.abort() }), 'cancelled');
  });
});
