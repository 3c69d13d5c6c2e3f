/** What an upload that is run again finds, where the service answers oddly; the usual is in resume_spec. */
import should from 'should';
import { CONTENT, STORED, isPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';
import type { Reply, Seen } from '../../support/http/scripted-service';

/** Of the one file, as opposed to a list or new ids. */
const isMetadata = ({ method, path }: Seen): boolean =>
  method === 'GET' && /\/files\/(?!generateIds)/.test(path);
const isSession = ({ path }: Seen): boolean => path.startsWith('/session/');

describe('what an earlier run of an upload has left', () => {
  const the = resumeFixture();

  /** Answers those requests so. */
  function answer(which: (seen: Seen) => boolean, reply: Reply): void {
    the.service.fault = (seen) => (which(seen) ? reply : undefined);
  }

  describe('is kept, and nothing is begun,', () => {
    afterEach(async () => {
      the.starts().should.equal(1);
      the.sent();
      the.service.fault = () => undefined;
      await the.run();
      the.at.only().content.equals(CONTENT).should.be.true();
      the.starts().should.equal(1);
    });

    for (const [status, code] of [
      [401, 'sign_in_required'],
      [503, 'service_unavailable'],
    ] as const) {
      it(`where its session is answered ${status}`, async () => {
        await the.interrupted();
        answer(isSession, { status });
        await rejected(the.run(), code);
      });

      it(`where its file is answered ${status} after its session was gone`, async () => {
        await the.made();
        the.service.fault = (seen) => {
          if (isSession(seen)) return { status: 404 };
          return isMetadata(seen) ? { status } : undefined;
        };
        await rejected(the.run(), code);
      });

      it(`where nobody can say, for a ${status}, whether its file is still there`, async () => {
        await the.made();
        answer(isMetadata, { status });
        await rejected(the.run(), code);
      });
    }

    it('where its session breaks off at the service’s own host', async () => {
      await the.interrupted();
      answer(isSession, 'reset');
      await rejected(the.run(), 'network');
    });

    it('where it is cancelled while its file is looked for', async () => {
      await the.made();
      const ending = new AbortController();
      answer(isMetadata, { status: 503 });
      const onWait = (): void => ending.abort();
      the.at.restart({ uploadSessions: the.sessions, clock: the.clock });
      const call = { signal: ending.signal, onWait };
      await rejected(the.at.upload({ path: the.path }, {}, call), 'cancelled');
    });
  });

  it('is made anew where its session tells of a file that was deleted since', async () => {
    const { id } = await the.made();
    answer((seen) => seen.path.endsWith(`/files/${id}`), { status: 404 });
    should((await the.run()).file.id).not.equal(id);
    the.sent().should.equal(CONTENT.length);
  });

  it('is made anew where its session is gone and its file in the trash', async () => {
    const old = await the.made();
    old.resource['trashed'] = true;
    the.service.sessions.clear();
    should((await the.run()).file.id).not.equal(old.id);
    the.sent().should.equal(CONTENT.length);
  });

  it('is the file where nobody says whether it is still there: it may not be sent twice', async () => {
    const { id } = await the.made();
    answer(isMetadata, { status: 403 });
    should((await the.run()).file.id).equal(id);
    the.sent().should.equal(0);
  });

  it('is not taken for done by a file that the session was to give new content, once the session is gone', async () => {
    the.put('backup.tar', 'old-id');
    await the.interrupted({ ifExists: 'replace' });
    the.service.sessions.clear();
    the.service.hides = ['size', 'md5Checksum', 'sha256Checksum'];
    should((await the.run({ ifExists: 'replace' })).file.id).equal('old-id');
    the.sent().should.equal(CONTENT.length);
    the.at.only().content.equals(CONTENT).should.be.true();
  });

  it('goes on at a custom service that knows its files by nothing but their content', async () => {
    const restart = (): void =>
      the.at.restart({
        uploadSessions: the.sessions,
        clock: the.clock,
        retryFor: 0,
        service: { kind: 'custom' },
      });
    restart();
    the.service.fault = (seen) => {
      if (seen.method === 'GET') return { status: 404 };
      if (!isPut(seen)) return undefined;
      for (const session of the.service.sessions.values()) session.parts = seen.body.subarray(0, STORED);
      return 'reset';
    };
    await rejected(the.run(), 'network');
    restart();
    the.sent();
    answer(({ method }) => method === 'GET', { status: 404 });
    (await the.run()).created.should.be.true();
    the.sent().should.equal(CONTENT.length - STORED);
    the.at.only().content.equals(CONTENT).should.be.true();
  });
});
