/** What proxies do to long requests: they refuse them, RFC 9110 15.5.14, or cut them at a time limit. */
import should from 'should';
import { bytes, md5 } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';
import type { Reply, Seen } from '../../support/http/scripted-service';

const SIZE = 9_000_001;
const content = bytes(SIZE);
const UNIT = 262_144;

describe('an upload by way of what lets no long request pass', () => {
  const fixture = uploadFixture();
  /** Bytes of each request with content, as they were sent. */
  let lengths: number[];

  const upload = async () => fixture.upload({ path: await fixture.onDisk(content) });
  const isAsking = ({ headers }: Seen): boolean => headers['content-range']?.startsWith('bytes */') ?? false;

  /** Gives a reply, where there is one, in place of the service's to each request with more content than that. */
  function permits(most: number, reply: () => Reply | undefined): void {
    fixture.service.fault = (seen) => {
      if (seen.method !== 'PUT' || isAsking(seen)) return undefined;
      lengths.push(seen.body.length);
      return seen.body.length > most ? reply() : undefined;
    };
  }

  beforeEach(() => {
    lengths = [];
  });

  function arrived(): void {
    md5(fixture.onlyFile().content).should.equal(md5(content));
    fixture.service.sessions.size.should.equal(1);
  }

  it('goes on in parts where it is refused for its length, and asks nothing', async () => {
    permits(3_000_000, () => ({ status: 413 }));
    await upload();
    arrived();
    lengths.filter((length) => length > 3_000_000).length.should.be.belowOrEqual(3);
    fixture.service.server.seen.filter(isAsking).should.be.empty();
    fixture.clock.sleeps.filter((ms) => ms > 100).should.be.empty();
  });

  it('says so where it is refused for its length however short it is', async () => {
    permits(0, () => ({ status: 413 }));
    const { status } = await rejected(upload(), 'bad_response');
    should(status).equal(413);
    should(lengths.at(-1)).equal(UNIT);
    lengths.length.should.be.below(10);
  });

  const cuts: [string, Reply][] = [
    ['cut', 'reset'],
    ['never answered', 'handled'],
    ...[408, 502, 504].map((status): [string, Reply] => [`answered ${status}`, { status }]),
  ];
  for (const [what, reply] of cuts) {
    it(`goes on in parts of four seconds where it is ${what} twice and nothing was kept`, async () => {
      if (reply === 'handled') fixture.restart({ timeout: 500 });
      permits(3_000_000, () => {
        fixture.clock.elapse(20_000);
        return reply;
      });
      await upload();
      arrived();
      // 450,000 bytes a second were seen.
      lengths.slice(0, 3).should.deepEqual([SIZE, SIZE, 6 * UNIT]);
    });
  }

  for (const status of [429, 500, 503]) {
    it(`stays one request where it is answered ${status}: that has nothing to do with its length`, async () => {
      let count = 0;
      permits(0, () => (count++ < 3 ? { status } : undefined));
      await upload();
      arrived();
      lengths.should.deepEqual([SIZE, SIZE, SIZE, SIZE]);
    });
  }

  it('stays one request where something is kept of each that is cut', async () => {
    let kept = 0;
    permits(SIZE - 1_000_000, () => {
      for (const session of fixture.service.sessions.values())
        session.content = content.subarray(0, (kept += UNIT));
      return 'reset';
    });
    await upload();
    arrived();
    lengths.slice(0, 4).should.deepEqual([0, 1, 2, 3].map((times) => SIZE - times * UNIT));
  });

  it('makes its parts longer while they pass', async () => {
    let count = 0;
    permits(0, () => {
      if (count++ > 1) return undefined;
      fixture.clock.elapse(29_000);
      return 'reset';
    });
    await upload();
    arrived();
    lengths.slice(2).should.deepEqual([4 * UNIT, 8 * UNIT, 16 * UNIT, SIZE - 28 * UNIT]);
  });
});
