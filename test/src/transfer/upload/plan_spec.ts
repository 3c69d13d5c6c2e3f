/**
 * Repeated uploads of the same file on disk.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import type { OnProgress, UploadRequest } from '../../../../src/index';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../../support/client/resume-fixture';
import { rejected } from '../../../support/client/rejected';
import { CAPABILITIES } from '../../../../src/capabilities';
import { type Reply, ScriptedService, type ReceivedRequest } from '../../../support/http/scripted-service';
import { numberedName } from '../../../../src/core/names';
import { ODD_NAMES, PLAIN_UPLOAD, driveFixture } from '../../../support/client/drive-fixture';

describe('repeated upload', () => {
  const fixture = resumeFixture();

  it('resumes at the stored offset and verifies the whole file', async () => {
    await fixture.interruptUpload();
    const { file, created } = await fixture.upload();
    created.should.be.true();
    should(file.id).equal(fixture.base.onlyFile().id);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
    fixture.sessionsStarted().should.equal(1);
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.sessions.saved.size.should.equal(0);
  });

  for (const ifExists of ['rename', 'skip', 'error', 'replace'] as const) {
    it(`resumes with ${ifExists} while the name is still free`, async () => {
      await fixture.interruptUpload({ ifExists });
      (await fixture.upload({ ifExists })).created.should.be.true();
      fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
    });
  }

  it('resumes the replacement of the same file', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    const { file, created } = await fixture.upload({ ifExists: 'replace' });
    created.should.be.false();
    should(file.id).equal('old-id');
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('resumes under the same numbered name, and chooses another number if that name is taken', async () => {
    fixture.addFile('backup.tar');
    await fixture.interruptUpload({ ifExists: 'rename' });
    (await fixture.upload({ ifExists: 'rename' })).file.name?.should.equal('backup (1).tar');
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    await fixture.interruptUpload({ ifExists: 'rename' });
    fixture.addFile('backup (2).tar');
    (await fixture.upload({ ifExists: 'rename' })).file.name?.should.equal('backup (3).tar');
    fixture.takeBytesSent().should.equal(CONTENT.length);
    fixture.service.files.length.should.equal(4);
  });

  it('discards the session if the name is taken and the upload is skipped', async () => {
    await fixture.interruptUpload({ ifExists: 'skip' });
    fixture.addFile('backup.tar');
    (await fixture.upload({ ifExists: 'skip' })).skipped.should.be.true();
    fixture.sessions.saved.size.should.equal(0);
  });

  for (const status of [400, 403, 404, 410]) {
    it(`starts a new session if the status query returns ${status}`, async () => {
      await fixture.interruptUpload();
      fixture.service.fault = ({ path: where }) => (where === '/session/s0' ? { status } : undefined);
      await fixture.upload();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
      fixture.sessionsStarted().should.equal(2);
      fixture.takeBytesSent().should.equal(CONTENT.length);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('reports progress from the stored offset', async () => {
    await fixture.interruptUpload();
    const reported: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => reported.push(progress);
    await fixture.upload({ onProgress });
    should(reported[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(reported.at(-1)).deepEqual([CONTENT.length, CONTENT.length, STORED]);
  });

  it('reports progress from the first byte if the resumed session expires', async () => {
    await fixture.interruptUpload();
    fixture.restart({});
    fixture.service.fault = (seen) =>
      isContentPut(seen) && seen.path === '/session/s0' ? { status: 404 } : undefined;
    const reported: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => reported.push(progress);
    await fixture.upload({ onProgress });
    should(reported[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(reported.at(-1)).deepEqual([CONTENT.length, CONTENT.length, 0]);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('stops when it is cancelled while it hashes the stored part', async () => {
    await fixture.interruptUpload();
    const abort = new AbortController();
    fixture.service.fault = (seen) => {
      if (seen.headers['content-range']?.startsWith('bytes */')) abort.abort();
      return undefined;
    };
    await rejected(fixture.upload({}, { signal: abort.signal }), 'cancelled');
    fixture.service.fault = () => undefined;
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
  });

  it('sends the whole file again if its content changed while size and modification time did not', async () => {
    await fixture.interruptUpload();
    const other = Buffer.from(CONTENT);
    other[0] = (other[0] ?? 0) ^ 1;
    await fixture.writeFile(other);
    await fixture.upload();
    fixture.base.onlyFile().content.equals(other).should.be.true();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED + CONTENT.length);
    fixture.sessions.saved.size.should.equal(0);
  });

  it('shares its session with no concurrent upload of the same file', async () => {
    await fixture.interruptUpload();
    await Promise.all([fixture.upload(), fixture.upload(), fixture.upload()]);
    fixture.service.files
      .map(({ content: each }) => each.equals(CONTENT))
      .should.deepEqual([true, true, true]);
    fixture.sessionsStarted().should.equal(3);
    fixture.takeBytesSent().should.equal(3 * CONTENT.length - STORED);
    fixture.sessions.saved.size.should.equal(0);
  });

  it('resumes all sessions that were in use when the process ended', async () => {
    fixture.service.fault = (seen) => (isContentPut(seen) ? 'reset' : undefined);
    await Promise.all([rejected(fixture.upload(), 'network'), rejected(fixture.upload(), 'network')]);
    fixture.service.fault = () => undefined;
    fixture.restart();
    await Promise.all([fixture.upload(), fixture.upload(), fixture.upload()]);
    fixture.sessionsStarted().should.equal(3);
    fixture.service.files.length.should.equal(3);
  });

  for (const ifExists of ['duplicate', 'skip', 'rename', 'error', 'replace'] as const) {
    it(`returns the completed file if only the response was lost, with ${ifExists}`, async () => {
      const { id } = await fixture.loseResponse({ ifExists });
      const { file, created } = await fixture.upload({ ifExists });
      should(file.id).equal(id);
      created.should.be.true();
      fixture.takeBytesSent().should.equal(0);
      fixture.service.files.length.should.equal(1);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('returns the completed file by its id if the session has expired', async () => {
    const { id } = await fixture.loseResponse();
    fixture.service.sessions.clear();
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
    fixture.service.files.length.should.equal(1);
  });
});

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

describe('upload with ifExists', () => {
  const at = driveFixture({ nameMatch: 'word' });
  let folderId: string;

  beforeEach(async () => {
    folderId = await at.drive.files.addFolder('folder');
  });

  const upload = (ifExists: UploadRequest['ifExists'], data: string, more: Partial<UploadRequest> = {}) =>
    at.client.upload({ ...PLAIN_UPLOAD, content: { data }, folderId, ifExists, ...more });
  const names = () => at.drive.files.names(folderId);

  it('duplicate creates another file without a search', async () => {
    await upload('duplicate', 'a');
    const { created, skipped } = await upload('duplicate', 'b');
    [created, skipped].should.deepEqual([true, false]);
    names().should.deepEqual(['backup.tar', 'backup.tar']);
    at.drive.requests.to('GET', /\/files$/).should.be.empty();
  });

  it('replace updates the existing file, or creates it if there is none', async () => {
    const first = await upload('replace', 'old');
    const second = await upload('replace', 'new');
    [first.created, second.created].should.deepEqual([true, false]);
    should(second.file.id).equal(first.file.id);
    (await at.drive.files.contentOf(first.file.id)).toString().should.equal('new');
    names().should.deepEqual(['backup.tar']);
    const large = Buffer.alloc(6_000_000, 'x');
    await upload('replace', '', { content: { data: large } });
    (await at.drive.files.contentOf(first.file.id)).equals(large).should.be.true();
    names().should.deepEqual(['backup.tar']);
  });

  it('skip returns the existing file', async () => {
    const first = await upload('skip', 'old');
    const second = await upload('skip', 'new');
    second.should.deepEqual({ file: first.file, created: false, skipped: true });
    (await at.drive.files.contentOf(first.file.id)).toString().should.equal('old');
  });

  it('rename chooses the first free number, also if more are taken than one search covers', async () => {
    (await upload('rename', 'x')).file.name?.should.equal('backup.tar');
    (await upload('rename', 'x')).file.name?.should.equal('backup (1).tar');
    await at.drive.files.add({ name: 'backup (3).tar', parent: folderId });
    (await upload('rename', 'x')).file.name?.should.equal('backup (2).tar');
    (await upload('rename', 'x')).file.name?.should.equal('backup (4).tar');
    for (let n = 5; n <= 23; n++) await at.drive.files.add({ name: `backup (${n}).tar`, parent: folderId });
    (await upload('rename', 'x')).file.name?.should.equal('backup (24).tar');
  });

  for (const name of [`${'\u00e4'.repeat(100)}.txt`, '\u30d0'.repeat(80), `${'\u1eab'.repeat(80)}.tar`]) {
    it(`rename searches for no more long names at once than a URL may contain: ${name.slice(0, 3)}…`, async () => {
      for (let n = 0; n <= 21; n++)
        await at.drive.files.add({ name: numberedName(name, n), parent: folderId });
      at.drive.requests.clear();
      should((await upload('rename', 'x', { name })).file.name).equal(numberedName(name, 22));
      const lookUps = at.drive.requests.to('GET', /\/files$/).map(({ url }) => url.length);
      Math.max(...lookUps).should.be.below(6_000);
    });
  }

  it('rename searches only for the plain name if it is free', async () => {
    await upload('rename', 'x');
    const [lookUp, ...more] = at.drive.requests.to('GET', /\/files$/);
    more.should.be.empty();
    String(lookUp?.url).should.not.containEql('backup+(1)').and.not.containEql('backup+%281%29');
  });

  it('error fails with a conflict that lists the ids', async () => {
    const { file } = await upload('error', 'old');
    const error = await rejected(upload('error', 'new'), 'conflict', 'conflict_exists');
    should(error.params).deepEqual({ name: 'backup.tar', ids: file.id });
    names().length.should.equal(1);
  });

  it('replace and skip fail with a conflict if several files have the name', async () => {
    const ids = [await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' })];
    ids.push(await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' }));
    for (const ifExists of ['replace', 'skip'] as const) {
      const error = await rejected(upload(ifExists, 'new', { name: 'n' }), 'conflict', 'conflict_names');
      String(error.params['ids'])
        .split(', ')
        .sort()
        .should.deepEqual([...ids].sort());
    }
  });

  it('lists at most ten ids in a conflict, and the number of further ones', async () => {
    for (let n = 0; n < 13; n++) await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' });
    for (const ifExists of ['replace', 'error'] as const) {
      const { params } = await rejected(upload(ifExists, 'new', { name: 'n' }), 'conflict');
      const listed = String(params['ids']).split(', ');
      listed.length.should.equal(11);
      should(listed.at(-1)).equal('+3');
    }
  });

  it('ignores trashed files, folders, other parents and other names', async () => {
    const trashed = await at.drive.files.add({ name: 'n', parent: folderId, content: 'x' });
    await at.client.trash(trashed);
    await at.drive.files.addFolder('n', folderId);
    await at.drive.files.add({ name: 'n', content: 'elsewhere' });
    await at.drive.files.add({ name: 'N', parent: folderId, content: 'x' });
    (await upload('error', 'new', { name: 'n' })).created.should.be.true();
  });

  it('treats composed and decomposed letters in a name as equal', async () => {
    await at.drive.files.add({ name: 'e\u0301te\u0301', parent: folderId, content: 'x' });
    await rejected(upload('error', 'new', { name: '\u00e9t\u00e9' }), 'conflict');
  });

  for (const name of ODD_NAMES) {
    it(`finds a file named ${JSON.stringify(name)}`, async () => {
      const { file } = await upload('skip', 'x', { name });
      should(file.name).equal(name);
      (await upload('skip', 'x', { name })).skipped.should.be.true();
    });
  }

  it('searches the root if no folder is given', async () => {
    const first = await upload('skip', 'x', { folderId: '', name: 'in the root' });
    should(first.file.parents).deepEqual([at.drive.files.rootId]);
    (await upload('skip', 'x', { folderId: '', name: 'in the root' })).skipped.should.be.true();
  });
});
