/**
 * Repeated uploads of the same file on disk.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import type { OnProgress } from '../../../../src/index';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../../support/client/resume-fixture';
import { rejected } from '../../../support/client/rejected';

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
