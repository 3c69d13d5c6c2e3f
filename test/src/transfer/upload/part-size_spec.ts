/**
 * Uploads in parts, for proxies that refuse long requests (RFC 9110 15.5.14) or cut them off at a time limit.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import { bytes } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';
import type { Reply, ReceivedRequest } from '../../../support/http/scripted-service';
import { AdaptivePartSize } from '../../../../src/transfer/upload/resumable';

const MIB = 1024 * 1024;
const UNIT = MIB / 4;
const TOTAL = 1_000_000_001;

describe('AdaptivePartSize', () => {
  let size: AdaptivePartSize;
  /** Size of the next request, unless it is the last. */
  const part = (): number => size.end(0, TOTAL);

  beforeEach(() => {
    size = new AdaptivePartSize();
  });

  /** One interruption may be an unplugged cable; after the second one, parts are used. */
  function interruptTwice(bytesSent: number, elapsed: number): void {
    for (let count = 0; count < 2; count++) size.interrupted({ bytesSent, elapsed });
  }

  it('sends everything that remains, also after one interruption', () => {
    size.end(7, TOTAL).should.equal(TOTAL);
    size.interrupted({ bytesSent: 100 * MIB, elapsed: 60_000 });
    part().should.equal(TOTAL);
  });

  it('sends everything that remains while the service stores something of each interrupted request', () => {
    for (let count = 0; count < 10; count++) {
      size.interrupted({ bytesSent: 100 * MIB, elapsed: 60_000 });
      size.stored(false);
    }
    part().should.equal(TOTAL);
  });

  it('chooses a first part that takes four seconds at the measured speed', () => {
    interruptTwice(60 * MIB, 60_000);
    part().should.equal(4 * MIB);
  });

  it('chooses a first part of at most half of what was sent before the interruption', () => {
    interruptTwice(60 * MIB, 1);
    part().should.equal(30 * MIB);
    interruptTwice(60 * MIB, 0);
    part().should.be.below(30 * MIB);
  });

  it('chooses half of what was sent if the elapsed time is negative', () => {
    interruptTwice(60 * MIB, -5);
    part().should.equal(30 * MIB);
  });

  it('chooses multiples of 256 KiB, at least one, and ends at the end of the content', () => {
    for (const sent of [1, 1_234_567, 98_765_432]) {
      size = new AdaptivePartSize();
      interruptTwice(sent, 10_000);
      for (let count = 0; count < 12; count++) {
        (part() % UNIT).should.equal(0);
        part().should.be.aboveOrEqual(UNIT);
        size.end(TOTAL - 5, TOTAL).should.equal(TOTAL);
        size.interrupted({ bytesSent: sent, elapsed: 10_000 });
      }
      part().should.equal(UNIT);
    }
  });

  it('doubles the part after each success, until everything that remains fits', () => {
    interruptTwice(60 * MIB, 60_000);
    size.stored(true);
    part().should.equal(8 * MIB);
    for (let count = 0; count < 20; count++) size.stored(true);
    part().should.equal(TOTAL);
  });

  it('keeps the part size if the service stores only a part of it', () => {
    interruptTwice(60 * MIB, 60_000);
    size.stored(false);
    part().should.equal(4 * MIB);
  });

  it('halves the part after an interruption and tries the failed size again after 16 successes', () => {
    interruptTwice(60 * MIB, 60_000);
    size.interrupted({ bytesSent: MIB, elapsed: 4_000 });
    part().should.equal(2 * MIB);
    for (let count = 0; count < 15; count++) size.stored(true);
    part().should.equal(2 * MIB);
    size.stored(true);
    part().should.equal(4 * MIB);
  });

  it('chooses at most 8 MiB after a refusal and halves that after each further one', () => {
    size.tooLarge(TOTAL).should.be.true();
    part().should.equal(8 * MIB);
    size.tooLarge(8 * MIB).should.be.true();
    part().should.equal(4 * MIB);
    size.stored(true);
    part().should.equal(4 * MIB);
    size.tooLarge(UNIT + 1).should.be.true();
    part().should.equal(UNIT);
    size.tooLarge(UNIT).should.be.false();
  });
});

/** Just above the limit of multipart uploads. */
const SIZE = 5_300_001;
const content = bytes(SIZE);

describe('resumable upload through a proxy that limits requests', () => {
  const fixture = uploadFixture();
  /** Bytes of each request with content. */
  let lengths: number[];

  const upload = async () => fixture.upload({ path: await fixture.onDisk(content) });
  const isStatusQuery = ({ headers }: ReceivedRequest): boolean =>
    headers['content-range']?.startsWith('bytes */') ?? false;

  /** Sends the reply, if there is one, to each request with more than `limit` bytes of content. */
  function limitRequests(limit: number, reply: () => Reply | undefined): void {
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT' || isStatusQuery(seen)) return undefined;
      lengths.push(seen.body.length);
      return seen.body.length > limit ? reply() : undefined;
    };
  }

  beforeEach(() => {
    lengths = [];
  });

  function assertUploadedInOneSession(): void {
    fixture.onlyFile().content.equals(content).should.be.true();
    fixture.service.sessions.size.should.equal(1);
  }

  it('continues in parts after a 413, without a status query or a wait', async () => {
    limitRequests(3_000_000, () => ({ status: 413 }));
    await upload();
    assertUploadedInOneSession();
    lengths.filter((length) => length > 3_000_000).length.should.be.belowOrEqual(3);
    fixture.service.server.requests.filter(isStatusQuery).should.be.empty();
    fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
  });

  it('fails if even 256 KiB are refused with a 413', async () => {
    limitRequests(0, () => ({ status: 413 }));
    const { status } = await rejected(upload(), 'bad_response');
    should(status).equal(413);
    should(lengths.at(-1)).equal(UNIT);
    lengths.length.should.be.below(10);
  });

  const interruptions: [string, Reply][] = [
    ['reset', 'reset'],
    ['left without a response', 'handled'],
    ...[408, 502, 504].map((status): [string, Reply] => [`answered with ${status}`, { status }]),
  ];
  for (const [what, reply] of interruptions) {
    it(`continues in parts of four seconds if the request is ${what} twice and nothing was stored`, async () => {
      if (reply === 'handled') fixture.restart({ timeout: 500 });
      limitRequests(3_000_000, () => {
        fixture.clock.elapse(20_000);
        return reply;
      });
      await upload();
      assertUploadedInOneSession();
      // The measured speed is 265,000 bytes per second.
      lengths.slice(0, 3).should.deepEqual([SIZE, SIZE, 4 * UNIT]);
    });
  }

  for (const status of [429, 500, 503]) {
    it(`sends everything in one request again after a ${status}, which doesn't depend on its length`, async () => {
      let count = 0;
      limitRequests(0, () => (count++ < 3 ? { status } : undefined));
      await upload();
      assertUploadedInOneSession();
      lengths.should.deepEqual([SIZE, SIZE, SIZE, SIZE]);
    });
  }

  it('sends everything that remains in one request if each interrupted one has stored something', async () => {
    let stored = 0;
    limitRequests(SIZE - 1_000_000, () => {
      for (const session of fixture.service.sessions.values())
        session.content = content.subarray(0, (stored += UNIT));
      return 'reset';
    });
    await upload();
    assertUploadedInOneSession();
    lengths.slice(0, 4).should.deepEqual([0, 1, 2, 3].map((times) => SIZE - times * UNIT));
  });

  it('doubles its parts while they succeed', async () => {
    let count = 0;
    limitRequests(0, () => {
      if (count++ > 1) return undefined;
      fixture.clock.elapse(29_000);
      return 'reset';
    });
    await upload();
    assertUploadedInOneSession();
    lengths.slice(2).should.deepEqual([2 * UNIT, 4 * UNIT, 8 * UNIT, SIZE - 14 * UNIT]);
  });
});
