/** Large files, sent in a session. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import type { AccessTokens, CallOptions } from '../../../../src/types';
import { bytes } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { type ReceivedRequest, errorResponse } from '../../../support/http/scripted-service';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../../support/client/resume-fixture';
import { uploadFixture } from '../../../support/client/upload-fixture';
import { incomplete } from '../../../support/http/upload-service';

/** Just above the limit of multipart uploads. */
const SIZE = 5_300_001;
const content = bytes(SIZE);

describe('resumable upload', () => {
  const fixture = uploadFixture();

  const upload = async (call: CallOptions = {}) =>
    fixture.upload({ path: await fixture.onDisk(content) }, { fields: 'id,name' }, call);

  const puts = () => fixture.service.server.requests.filter(({ method }) => method === 'PUT');
  const ranges = () => puts().map(({ headers }) => headers['content-range']);
  const starts = () => fixture.service.requestsFor('resumable');
  const session = () => {
    const last = [...fixture.service.sessions.values()].at(-1);
    if (!last) throw new Error('no session');
    return last;
  };

  function assertUploaded(): void {
    fixture.onlyFile().content.equals(content).should.be.true();
  }

  /** Closes the connection during the nth PUT with content, once the service has stored `keep` bytes of it. */
  function interrupt(nth: number, keep: number): void {
    let count = 0;
    fixture.service.server.onHeaders(({ headers }, { request }) => {
      if (!/^bytes \d/.test(headers['content-range'] ?? '') || ++count !== nth) return {};
      let received = 0;
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received < keep) return;
        const offset = Number(/^bytes (\d+)/.exec(headers['content-range'] ?? '')?.[1]);
        session().content = content.subarray(0, offset + keep);
        request.socket.destroy();
      });
      return 'handled';
    });
  }

  for (const keep of [1, 262_144, 3_000_000, SIZE - 1]) {
    it(`continues after the ${keep} stored bytes when the connection is lost`, async () => {
      interrupt(1, keep);
      await upload();
      assertUploaded();
      ranges().should.deepEqual([
        `bytes 0-${SIZE - 1}/${SIZE}`,
        `bytes */${SIZE}`,
        `bytes ${keep}-${SIZE - 1}/${SIZE}`,
      ]);
      starts().length.should.equal(1);
    });
  }

  it('starts again at the first byte after a 308 without Range, also if bytes were stored before', async () => {
    interrupt(1, 5_000_000);
    let queries = 0;
    fixture.service.fault = ({ headers }) => {
      if (headers['content-range'] !== `bytes */${SIZE}` || queries++ > 0) return undefined;
      session().content = Buffer.alloc(0);
      return incomplete(0);
    };
    await upload();
    assertUploaded();
    should(ranges().at(-1)).equal(`bytes 0-${SIZE - 1}/${SIZE}`);
  });

  it('goes back to a lower offset if the service has stored less than it confirmed before', async () => {
    const [confirmed, stored] = [6 * 262_144, 262_144];
    interrupt(2, 1_000_000);
    fixture.service.fault = ({ method, headers }) => {
      const hasConfirmed = puts().length > 1;
      if (method !== 'PUT' || (hasConfirmed && headers['content-range'] !== `bytes */${SIZE}`))
        return undefined;
      session().content = content.subarray(0, hasConfirmed ? stored : confirmed);
      return incomplete(session().content.length);
    };
    await upload();
    assertUploaded();
    ranges().should.deepEqual([
      `bytes 0-${SIZE - 1}/${SIZE}`,
      `bytes ${confirmed}-${SIZE - 1}/${SIZE}`,
      `bytes */${SIZE}`,
      `bytes ${stored}-${SIZE - 1}/${SIZE}`,
    ]);
  });

  it('continues without waiting if the service stores less than it was sent', async () => {
    fixture.service.fault = (seen: ReceivedRequest) => {
      if (seen.method !== 'PUT' || session().content.length >= 6 * 262_144) return undefined;
      session().content = content.subarray(0, session().content.length + 2 * 262_144);
      return incomplete(session().content.length);
    };
    await upload();
    assertUploaded();
    ranges().length.should.equal(4);
    fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
  });

  it('takes the file from the status query if only the last response was lost', async () => {
    let puts = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT' || puts++ > 0) return undefined;
      fixture.service.handle(seen);
      return 'reset';
    };
    await upload();
    assertUploaded();
    ranges().should.deepEqual([`bytes 0-${SIZE - 1}/${SIZE}`, `bytes */${SIZE}`]);
  });

  it('asks again, and sends nothing, while the service has all bytes but not the file yet', async () => {
    let requests = 0;
    fixture.service.fault = ({ method }) => {
      if (method !== 'PUT' || ++requests > 3) return undefined;
      session().content = content;
      return incomplete(SIZE);
    };
    await upload();
    assertUploaded();
    ranges().should.deepEqual([`bytes 0-${SIZE - 1}/${SIZE}`, ...Array<string>(3).fill(`bytes */${SIZE}`)]);
  });

  for (const status of [404, 410]) {
    it(`starts a new session with the same metadata after a ${status}`, async () => {
      interrupt(1, 3_000_000);
      let queries = 0;
      fixture.service.fault = ({ headers }) =>
        headers['content-range']?.startsWith('bytes *') && queries++ === 0 ? { status } : undefined;
      await upload();
      assertUploaded();
      starts().length.should.equal(2);
      should(starts()[0]?.body.toString()).equal(starts()[1]?.body.toString());
    });
  }

  it('finds the file by its id if the response was lost and the session has expired', async () => {
    let puts = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT') return undefined;
      if (puts++ > 0) return { status: 404 };
      fixture.service.handle(seen);
      return 'reset';
    };
    const { file, created } = await upload();
    assertUploaded();
    created.should.be.true();
    should(file.id).equal(fixture.service.files[0]?.id);
    starts().length.should.equal(2);
  });

  it('refreshes the token after a 401 and continues in the same session', async () => {
    let renewed = 0;
    const tokens: AccessTokens = {
      get: () => Promise.resolve(renewed ? 'new' : 'old'),
      renew: () => Promise.resolve((renewed++, 'new')),
    };
    fixture.restart({ tokens });
    fixture.service.fault = ({ method, headers }) =>
      method === 'PUT' && headers.authorization === 'Bearer old' ? { status: 401 } : undefined;
    await upload();
    assertUploaded();
    renewed.should.equal(1);
    starts().length.should.equal(1);
    puts()
      .map(({ headers }) => headers.authorization)
      .should.deepEqual(['Bearer old', 'Bearer new']);
  });

  it('succeeds after a 401 that arrives before the content has been sent', async () => {
    let count = 0;
    fixture.service.server.onHeaders(({ method }, { response }) => {
      if (method !== 'PUT' || count++ > 0) return {};
      response.writeHead(401, { 'Content-Length': '0' }).end();
      return 'handled';
    });
    await upload();
    assertUploaded();
  });

  for (const status of [400, 416]) {
    it(`queries the stored offset and continues from there after a ${status}`, async () => {
      let count = 0;
      fixture.service.fault = (seen) => {
        if (seen.method !== 'PUT' || count++ > 0) return undefined;
        session().content = content.subarray(0, 262_144);
        return { status };
      };
      await upload();
      assertUploaded();
      ranges()
        .slice(1)
        .should.deepEqual([`bytes */${SIZE}`, `bytes 262144-${SIZE - 1}/${SIZE}`]);
      fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
    });

    it(`fails after a ${status} if the offset was right`, async () => {
      fixture.service.fault = ({ headers }) =>
        headers['content-range']?.startsWith('bytes 0-') ? { status } : undefined;
      should((await rejected(upload(), 'bad_response')).status).equal(status);
      ranges().should.deepEqual([`bytes 0-${SIZE - 1}/${SIZE}`, `bytes */${SIZE}`]);
    });
  }

  it('retries through several 503 and rate limit responses, obeying Retry-After', async () => {
    const waits: number[] = [];
    let count = 0;
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT') return undefined;
      count += 1;
      if (count <= 3) return { status: 503, headers: { 'Retry-After': '7' } };
      return count <= 5 ? errorResponse(403, 'userRateLimitExceeded') : undefined;
    };
    await upload({ onWait: (ms) => waits.push(ms) });
    assertUploaded();
    waits.should.deepEqual([7_000, 7_000, 7_000, 4_000, 8_000]);
  });

  it('gives up within the retry budget if nothing is ever stored', async () => {
    fixture.service.fault = ({ method }) => (method === 'PUT' ? incomplete(0) : undefined);
    const startedAt = fixture.clock.now();
    await rejected(upload(), 'service_unavailable', 'service_unavailable_upload');
    (fixture.clock.now() - startedAt).should.be.belowOrEqual(61_000);
    puts().length.should.be.above(3);
  });

  it('does not give up while the stored offset advances, however long it takes', async () => {
    let interruptions = 0;
    fixture.service.fault = (seen) => {
      if (!/^bytes \d/.test(seen.headers['content-range'] ?? '') || interruptions >= 8) return undefined;
      interruptions += 1;
      fixture.clock.elapse(59_000);
      session().content = content.subarray(0, interruptions * 600_000);
      return 'reset';
    };
    await upload();
    assertUploaded();
    interruptions.should.equal(8);
  });

  it('stops waiting for a retry when it is cancelled', async () => {
    const abort = new AbortController();
    fixture.service.fault = ({ method }) => (method === 'PUT' ? { status: 503 } : undefined);
    await rejected(upload({ signal: abort.signal, onWait: () => abort.abort() }), 'cancelled');
  });
});

describe('resumable upload whose session expires', () => {
  const fixture = resumeFixture();

  /** Session and range of each PUT. */
  const puts = () =>
    fixture.service.server.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ path, headers }) => `${path.split('/').pop()} ${headers['content-range']}`);
  const restart = (kind: 'google' | 'custom'): void =>
    fixture.restart({ service: { can: CAPABILITIES[kind] } });

  it('starts a new session at the first byte, without a status query, when the old one expires', async () => {
    const { length } = CONTENT;
    restart('google');
    fixture.service.fault = (seen) => {
      if (!isContentPut(seen) || fixture.service.sessions.size > 1) return undefined;
      for (const session of fixture.service.sessions.values()) {
        if (session.content.length > 0) return { status: 404 };
        session.content = seen.body.subarray(0, STORED);
      }
      return 'reset';
    };
    await fixture.upload();
    puts().should.deepEqual([
      `s0 bytes 0-${length - 1}/${length}`,
      `s0 bytes */${length}`,
      `s0 bytes ${STORED}-${length - 1}/${length}`,
      `s1 bytes 0-${length - 1}/${length}`,
    ]);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('saves a new session for the next run and removes the expired one', async () => {
    await fixture.interruptUpload();
    restart('google');
    fixture.service.fault = (seen) => {
      if (seen.path === '/session/s0') return { status: 410 };
      if (!isContentPut(seen)) return undefined;
      const session = fixture.service.sessions.get('s1');
      if (session) session.content = seen.body.subarray(0, STORED);
      return { status: 403 };
    };
    await rejected(fixture.upload(), 'permission_denied');
    [...fixture.sessions.saved.values()].join().should.containEql('/s1').and.not.containEql('/s0');
    fixture.restart();
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.sessionsStarted().should.equal(2);
  });

  it('fails with service_unavailable_session if every session expires', async () => {
    restart('google');
    fixture.service.fault = (seen) => {
      if (!seen.path.startsWith('/session/')) return undefined;
      return isContentPut(seen) ? 'reset' : { status: 410 };
    };
    const error = await rejected(fixture.upload(), 'service_unavailable', 'service_unavailable_session');
    should(error).match({ status: 410, retryable: true, isOutcomeUnknown: false });
    fixture.sessionsStarted().should.be.above(3);
    fixture.sessions.saved.size.should.equal(0);
  });

  describe('at a custom service that generates no ids', () => {
    beforeEach(() => restart('custom'));

    it('starts a new session without an id if part of the content was never sent, so that no file can exist', async () => {
      const large = bytes(20_000_000);
      await fixture.writeFile(large);
      let isInterrupted = false;
      fixture.service.server.onHeaders((seen, { request }) => {
        if (!isContentPut(seen) || isInterrupted) return {};
        request.once('data', () => request.socket.destroy());
        isInterrupted = true;
        return 'handled';
      });
      fixture.service.fault = ({ path }) =>
        path.endsWith('generateIds') || path === '/session/s0' ? { status: 404 } : undefined;
      await fixture.upload();
      fixture.base.onlyFile().content.equals(large).should.be.true();
      fixture.sessionsStarted().should.equal(2);
    });

    it('fails with service_unavailable_outcome if a session without an id expires after all content was sent', async () => {
      fixture.service.fault = (seen) => {
        if (seen.path.endsWith('generateIds')) return { status: 404 };
        if (!seen.path.startsWith('/session/')) return undefined;
        return isContentPut(seen) ? 'reset' : { status: 404 };
      };
      const error = await rejected(fixture.upload(), 'service_unavailable', 'service_unavailable_outcome');
      should(error).match({ status: 404, retryable: false, isOutcomeUnknown: false });
      fixture.sessionsStarted().should.equal(1);
      fixture.sessions.saved.size.should.equal(0);
    });
  });
});
