/** What an upload that is run again finds, where the service answers oddly; the usual is in resume_spec. */
import should from 'should';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';
import type { Reply, Seen } from '../../support/http/scripted-service';

/** Of the one file, as opposed to a list or new ids. */
const isMetadata = ({ method, path }: Seen): boolean =>
  method === 'GET' && /\/files\/(?!generateIds)/.test(path);
const isSession = ({ path }: Seen): boolean => path.startsWith('/session/');

describe('what an earlier run of an upload has left', () => {
  const fixture = resumeFixture();

  /** Answers those requests so. */
  function answer(which: (seen: Seen) => boolean, reply: Reply): void {
    fixture.service.fault = (seen) => (which(seen) ? reply : undefined);
  }

  describe('is kept, and nothing is begun,', () => {
    afterEach(async () => {
      fixture.sessionsStarted().should.equal(1);
      fixture.takeBytesSent();
      fixture.service.fault = () => undefined;
      await fixture.upload();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
      fixture.sessionsStarted().should.equal(1);
    });

    for (const [status, code] of [
      [401, 'sign_in_required'],
      [503, 'service_unavailable'],
    ] as const) {
      it(`where its session is answered ${status}`, async () => {
        await fixture.interruptUpload();
        answer(isSession, { status });
        await rejected(fixture.upload(), code);
      });

      it(`where its file is answered ${status} after its session was gone`, async () => {
        await fixture.loseResponse();
        fixture.service.fault = (seen) => {
          if (isSession(seen)) return { status: 404 };
          return isMetadata(seen) ? { status } : undefined;
        };
        await rejected(fixture.upload(), code);
      });

      it(`where nobody can say, for a ${status}, whether its file is still there`, async () => {
        await fixture.loseResponse();
        answer(isMetadata, { status });
        await rejected(fixture.upload(), code);
      });
    }

    it('where its session breaks off at the service’s own host', async () => {
      await fixture.interruptUpload();
      answer(isSession, 'reset');
      await rejected(fixture.upload(), 'network');
    });

    it('where it is cancelled while its file is looked for', async () => {
      await fixture.loseResponse();
      const ending = new AbortController();
      answer(isMetadata, { status: 503 });
      const onWait = (): void => ending.abort();
      fixture.base.restart({ uploadSessions: fixture.sessions, clock: fixture.clock });
      const call = { signal: ending.signal, onWait };
      await rejected(fixture.base.upload({ path: fixture.path }, {}, call), 'cancelled');
    });
  });

  it('is made anew where its session tells of a file that was deleted since', async () => {
    const { id } = await fixture.loseResponse();
    answer((seen) => seen.path.endsWith(`/files/${id}`), { status: 404 });
    should((await fixture.upload()).file.id).not.equal(id);
    fixture.takeBytesSent().should.equal(CONTENT.length);
  });

  it('is made anew where its session is gone and its file in the trash', async () => {
    const old = await fixture.loseResponse();
    old.metadata['trashed'] = true;
    fixture.service.sessions.clear();
    should((await fixture.upload()).file.id).not.equal(old.id);
    fixture.takeBytesSent().should.equal(CONTENT.length);
  });

  it('is the file where nobody says whether it is still there: it may not be sent twice', async () => {
    const { id } = await fixture.loseResponse();
    answer(isMetadata, { status: 403 });
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
  });

  it('is not taken for done by a file that the session was to give new content, once the session is gone', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    fixture.service.sessions.clear();
    fixture.service.hiddenFields = ['size', 'md5Checksum', 'sha256Checksum'];
    should((await fixture.upload({ ifExists: 'replace' })).file.id).equal('old-id');
    fixture.takeBytesSent().should.equal(CONTENT.length);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('goes on at a custom service that knows its files by nothing but their content', async () => {
    const restart = (): void =>
      fixture.base.restart({
        uploadSessions: fixture.sessions,
        clock: fixture.clock,
        retryFor: 0,
        service: { kind: 'custom' },
      });
    restart();
    fixture.service.fault = (seen) => {
      if (seen.method === 'GET') return { status: 404 };
      if (!isContentPut(seen)) return undefined;
      for (const session of fixture.service.sessions.values())
        session.content = seen.body.subarray(0, STORED);
      return 'reset';
    };
    await rejected(fixture.upload(), 'network');
    restart();
    fixture.takeBytesSent();
    answer(({ method }) => method === 'GET', { status: 404 });
    (await fixture.upload()).created.should.be.true();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });
});
