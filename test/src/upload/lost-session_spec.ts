/** Sessions that end before their time. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import should from 'should';
import { bytes } from '../../support/content';
import { CONTENT, STORED, isPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';

describe('an upload whose session is lost', () => {
  const the = resumeFixture();

  /** All PUTs: where they went to and what they were about. */
  const puts = () =>
    the.service.wire.seen
      .filter(({ method }) => method === 'PUT')
      .map(({ path, headers }) => `${path.split('/').pop()} ${headers['content-range']}`);
  const restart = (kind: 'google' | 'custom'): void =>
    the.at.restart({ uploadSessions: the.sessions, clock: the.clock, service: { kind } });

  it('begins the next one at the first byte, and asks nothing there', async () => {
    const { length } = CONTENT;
    restart('google');
    the.service.fault = (seen) => {
      if (!isPut(seen)) return undefined;
      if (the.service.sessions.size > 1) return undefined;
      for (const session of the.service.sessions.values()) {
        if (session.parts.length > 0) return { status: 404 };
        session.parts = seen.body.subarray(0, STORED);
      }
      return 'reset';
    };
    await the.run();
    puts().should.deepEqual([
      `s0 bytes 0-${length - 1}/${length}`,
      `s0 bytes */${length}`,
      `s0 bytes ${STORED}-${length - 1}/${length}`,
      `s1 bytes 0-${length - 1}/${length}`,
    ]);
    the.at.only().content.equals(CONTENT).should.be.true();
  });

  it('leaves the next one to the next run, and nothing of the lost one', async () => {
    await the.interrupted();
    restart('google');
    the.service.fault = (seen) => {
      if (seen.path === '/session/s0') return { status: 410 };
      if (!isPut(seen)) return undefined;
      const session = the.service.sessions.get('s1');
      if (session) session.parts = seen.body.subarray(0, STORED);
      return { status: 403 };
    };
    await rejected(the.run(), 'permission_denied');
    [...the.sessions.kept.values()].join().should.containEql('/s1').and.not.containEql('/s0');
    the.restart();
    await the.run();
    the.sent().should.equal(CONTENT.length - STORED);
    the.starts().should.equal(2);
  });

  it('says so where every session is lost', async () => {
    restart('google');
    the.service.fault = ({ path }) => (path.startsWith('/session/') ? { status: 410 } : undefined);
    const error = await rejected(the.run(), 'service_unavailable', 'service_unavailable_session');
    should(error).match({ status: 410, params: { status: 410 }, retryable: true });
    the.starts().should.be.above(3);
    the.sessions.kept.size.should.equal(0);
  });

  describe('at a custom service that gives no ids', () => {
    beforeEach(() => restart('custom'));

    it('begins another while not all was sent: no file can be there yet', async () => {
      const large = bytes(20_000_000);
      await the.write(large);
      let isCut = false;
      the.service.wire.before((seen, { request }) => {
        if (!isPut(seen) || isCut) return {};
        request.once('data', () => request.socket.destroy());
        isCut = true;
        return 'handled';
      });
      the.service.fault = ({ path }) =>
        path.endsWith('generateIds') || path === '/session/s0' ? { status: 404 } : undefined;
      await the.run();
      the.at.only().content.equals(large).should.be.true();
      the.starts().should.equal(2);
    });

    it('says that nobody knows what came of it once all was sent', async () => {
      the.service.fault = (seen) => {
        if (seen.path.endsWith('generateIds')) return { status: 404 };
        if (!seen.path.startsWith('/session/')) return undefined;
        return isPut(seen) ? 'reset' : { status: 404 };
      };
      const error = await rejected(the.run(), 'service_unavailable', 'service_unavailable_outcome');
      should(error).match({ status: 404, params: { status: 404 }, retryable: false });
      the.starts().should.equal(1);
      the.sessions.kept.size.should.equal(0);
    });
  });
});
