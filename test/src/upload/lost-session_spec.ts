/** Sessions that end before their time. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import should from 'should';
import { bytes } from '../../support/content';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';

describe('an upload whose session is lost', () => {
  const fixture = resumeFixture();

  /** All PUTs: where they went to and what they were about. */
  const puts = () =>
    fixture.service.server.seen
      .filter(({ method }) => method === 'PUT')
      .map(({ path, headers }) => `${path.split('/').pop()} ${headers['content-range']}`);
  const restart = (kind: 'google' | 'custom'): void =>
    fixture.base.restart({ uploadSessions: fixture.sessions, clock: fixture.clock, service: { kind } });

  it('begins the next one at the first byte, and asks nothing there', async () => {
    const { length } = CONTENT;
    restart('google');
    fixture.service.fault = (seen) => {
      if (!isContentPut(seen)) return undefined;
      if (fixture.service.sessions.size > 1) return undefined;
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

  it('leaves the next one to the next run, and nothing of the lost one', async () => {
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

  it('says so where every session is lost', async () => {
    restart('google');
    fixture.service.fault = ({ path }) => (path.startsWith('/session/') ? { status: 410 } : undefined);
    const error = await rejected(fixture.upload(), 'service_unavailable', 'service_unavailable_session');
    should(error).match({ status: 410, params: { status: 410 }, retryable: true });
    fixture.sessionsStarted().should.be.above(3);
    fixture.sessions.saved.size.should.equal(0);
  });

  describe('at a custom service that gives no ids', () => {
    beforeEach(() => restart('custom'));

    it('begins another while not all was sent: no file can be there yet', async () => {
      const large = bytes(20_000_000);
      await fixture.writeFile(large);
      let isCut = false;
      fixture.service.server.before((seen, { request }) => {
        if (!isContentPut(seen) || isCut) return {};
        request.once('data', () => request.socket.destroy());
        isCut = true;
        return 'handled';
      });
      fixture.service.fault = ({ path }) =>
        path.endsWith('generateIds') || path === '/session/s0' ? { status: 404 } : undefined;
      await fixture.upload();
      fixture.base.onlyFile().content.equals(large).should.be.true();
      fixture.sessionsStarted().should.equal(2);
    });

    it('says that nobody knows what came of it once all was sent', async () => {
      fixture.service.fault = (seen) => {
        if (seen.path.endsWith('generateIds')) return { status: 404 };
        if (!seen.path.startsWith('/session/')) return undefined;
        return isContentPut(seen) ? 'reset' : { status: 404 };
      };
      const error = await rejected(fixture.upload(), 'service_unavailable', 'service_unavailable_outcome');
      should(error).match({ status: 404, params: { status: 404 }, retryable: false });
      fixture.sessionsStarted().should.equal(1);
      fixture.sessions.saved.size.should.equal(0);
    });
  });
});
