/** What a repeated upload does with its saved session if the service responds with errors; resume_spec covers the rest. */
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../../support/client/resume-fixture';
import { rejected } from '../../../support/client/rejected';
import { type Reply, ScriptedService, type ReceivedRequest } from '../../../support/http/scripted-service';

/** Requests for one file, as opposed to a list or generated ids. */
const isMetadata = ({ method, path }: ReceivedRequest): boolean =>
  method === 'GET' && /\/files\/(?!generateIds)/.test(path);
const isSession = ({ path }: ReceivedRequest): boolean => path.startsWith('/session/');

describe('repeated upload whose saved session fails', () => {
  const fixture = resumeFixture();

  function replyTo(which: (seen: ReceivedRequest) => boolean, reply: Reply): void {
    fixture.service.fault = (seen) => (which(seen) ? reply : undefined);
  }

  describe('with a temporary error', () => {
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
      it(`keeps the session if the status query fails with ${status}`, async () => {
        await fixture.interruptUpload();
        replyTo(isSession, { status });
        await rejected(fixture.upload(), code);
      });

      it(`keeps the session if it has expired and the file’s metadata fails with ${status}`, async () => {
        await fixture.loseResponse();
        fixture.service.fault = (seen) => {
          if (isSession(seen)) return { status: 404 };
          return isMetadata(seen) ? { status } : undefined;
        };
        await rejected(fixture.upload(), code);
      });

      it(`keeps the completed session if the file’s metadata fails with ${status}`, async () => {
        await fixture.loseResponse();
        replyTo(isMetadata, { status });
        await rejected(fixture.upload(), code);
      });
    }

    it('keeps the session if connections to the host of the service are reset', async () => {
      await fixture.interruptUpload();
      replyTo(isSession, 'reset');
      await rejected(fixture.upload(), 'network');
    });

    it('keeps the session if it is cancelled while the metadata is requested', async () => {
      await fixture.loseResponse();
      fixture.restart({});
      const abort = new AbortController();
      replyTo(isMetadata, { status: 503 });
      const onWait = (): void => abort.abort();
      const call = { signal: abort.signal, onWait };
      await rejected(fixture.upload({}, call), 'cancelled');
    });
  });

  for (const isDeleted of [true, false]) {
    for (const isExpired of [true, false]) {
      it(`uploads again if the file was ${isDeleted ? 'deleted' : 'trashed'} after the session, which is ${isExpired ? 'expired' : 'complete'}, had created it`, async () => {
        const old = await fixture.loseResponse();
        if (isDeleted) replyTo((seen) => seen.path.endsWith(`/files/${old.id}`), { status: 404 });
        else old.metadata['trashed'] = true;
        if (isExpired) fixture.service.sessions.clear();
        should((await fixture.upload()).file.id).not.equal(old.id);
        fixture.takeBytesSent().should.equal(CONTENT.length);
      });
    }
  }

  it('moves a file to the trash that was edited since an earlier run had created it, and uploads again', async () => {
    const old = await fixture.loseResponse();
    old.content = Buffer.from('edited');
    const { file } = await fixture.upload();
    const [edited, uploaded] = fixture.service.files;
    should(edited).equal(old);
    [old.metadata['trashed'], old.content.toString()].should.eql([true, 'edited']);
    should(uploaded?.id).equal(file.id);
  });

  it('deletes an outdated file of an earlier run in the hidden app data folder, which has no trash', async () => {
    fixture.restart({ retryFor: 0, service: { space: 'appDataFolder' } });
    const old = await fixture.loseResponse();
    fixture.restart({ retryFor: 0, service: { space: 'appDataFolder' } });
    old.content = Buffer.from('outdated');
    const { file } = await fixture.upload();
    fixture.service.files.map(({ id }) => id).should.eql([file.id]);
  });

  it('returns the file of a completed session if its metadata is forbidden, instead of uploading it twice', async () => {
    const { id } = await fixture.loseResponse();
    replyTo(isMetadata, { status: 403 });
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
  });

  it('uploads again if a session that replaces a file has expired', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    fixture.service.sessions.clear();
    fixture.service.hiddenFields = ['size', 'md5Checksum', 'sha256Checksum'];
    should((await fixture.upload({ ifExists: 'replace' })).file.id).equal('old-id');
    fixture.takeBytesSent().should.equal(CONTENT.length);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('resumes at a custom service without metadata requests', async () => {
    const restart = (): void => fixture.restart({ retryFor: 0, service: { can: CAPABILITIES.custom } });
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
    replyTo(({ method }) => method === 'GET', { status: 404 });
    (await fixture.upload()).created.should.be.true();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });
});

/** @returns the origin of a server that has been closed */
async function closedOrigin(): Promise<string> {
  const service = await ScriptedService.start();
  const { url } = service;
  await service.close();
  return url;
}

describe('repeated upload whose session is on an unreachable host', () => {
  const fixture = resumeFixture();

  /** Moves the saved session to another origin, by default an unreachable one. */
  async function moveSession(origin?: string): Promise<void> {
    const [[key, text] = ['', '']] = fixture.sessions.saved;
    fixture.sessions.saved.set(
      key,
      text.replaceAll(fixture.service.server.url, origin ?? (await closedOrigin())),
    );
  }

  for (const ifExists of ['duplicate', 'replace'] as const) {
    it(`starts a new session for a new file with ${ifExists}`, async () => {
      await fixture.interruptUpload({ ifExists });
      await moveSession();
      (await fixture.upload({ ifExists })).created.should.be.true();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
      fixture.sessionsStarted().should.equal(2);
      fixture.takeBytesSent().should.equal(CONTENT.length);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('starts a new session to replace a file', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    await moveSession();
    should((await fixture.upload({ ifExists: 'replace' })).file.id).equal('old-id');
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('returns the file without sending anything if the session had completed it', async () => {
    const { id } = await fixture.loseResponse();
    await moveSession();
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
    fixture.base.onlyFile().id.should.equal(id);
  });

  it('keeps the session while the service is unreachable too', async () => {
    await fixture.interruptUpload();
    const saved = new Map(fixture.sessions.saved);
    await moveSession();
    fixture.service.fault = () => 'reset';
    await rejected(fixture.upload(), 'network');
    fixture.service.fault = () => undefined;
    for (const [key, text] of saved) {
      fixture.sessions.saved.has(key).should.be.true();
      fixture.sessions.saved.set(key, text);
    }
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
  });

  it('starts a new session if the host accepts connections but never responds', async () => {
    const silent = await ScriptedService.start();
    try {
      silent.onHeaders(() => 'handled');
      await fixture.interruptUpload();
      await moveSession(silent.url);
      // Applies to the upload that follows, too.
      fixture.restart({ retryFor: 0, timeout: 1_000 });
      await fixture.upload();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
    } finally {
      await silent.close();
    }
  });

  for (const [status, code] of [
    [408, 'timeout'],
    [503, 'service_unavailable'],
  ] as const) {
    it(`keeps the session if its host responds with ${status}`, async () => {
      const busy = await ScriptedService.start();
      try {
        busy.onRequest(() => ({ status }));
        await fixture.interruptUpload();
        await moveSession(busy.url);
        await rejected(fixture.upload(), code);
        fixture.sessions.saved.size.should.equal(1);
        fixture.sessionsStarted().should.equal(1);
      } finally {
        await busy.close();
      }
    });
  }

  it('keeps a session without a file id, because a new one could duplicate the file', async () => {
    await fixture.interruptUpload();
    await moveSession();
    for (const [key, text] of fixture.sessions.saved) {
      const sessions = JSON.parse(text) as { id?: string }[];
      for (const session of sessions) delete session.id;
      fixture.sessions.saved.set(key, JSON.stringify(sessions));
    }
    await rejected(fixture.upload(), 'network');
    fixture.sessions.saved.size.should.equal(1);
    fixture.sessionsStarted().should.equal(1);
  });
});
