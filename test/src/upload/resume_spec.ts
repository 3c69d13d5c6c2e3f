/**
 * An upload that is run again goes on where it was.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import type { OnProgress } from '../../../src/index';
import { CONTENT, STORED, isContentPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';

describe('an upload that is run again', () => {
  const fixture = resumeFixture();

  it('goes on where the service is, and proves the whole', async () => {
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
    it(`goes on with ${ifExists} where the name is still free`, async () => {
      await fixture.interruptUpload({ ifExists });
      (await fixture.upload({ ifExists })).created.should.be.true();
      fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
    });
  }

  it('keeps the file whose content it replaces', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    const { file, created } = await fixture.upload({ ifExists: 'replace' });
    created.should.be.false();
    should(file.id).equal('old-id');
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('keeps the number that it had chosen, and chooses another where that was taken meanwhile', async () => {
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

  it('leaves its session where the name was taken meanwhile', async () => {
    await fixture.interruptUpload({ ifExists: 'skip' });
    fixture.addFile('backup.tar');
    (await fixture.upload({ ifExists: 'skip' })).skipped.should.be.true();
    fixture.sessions.saved.size.should.equal(0);
  });

  for (const status of [400, 403, 404, 410]) {
    it(`begins anew where the service answers ${status} for its session`, async () => {
      await fixture.interruptUpload();
      fixture.service.fault = ({ path: where }) => (where === '/session/s0' ? { status } : undefined);
      await fixture.upload();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
      fixture.sessionsStarted().should.equal(2);
      fixture.takeBytesSent().should.equal(CONTENT.length);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('keeps it while the service can’t be asked', async () => {
    await fixture.interruptUpload();
    fixture.service.fault = ({ path: where }) => (where.startsWith('/session') ? { status: 503 } : undefined);
    await rejected(fixture.upload(), 'service_unavailable');
    fixture.service.fault = () => undefined;
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
  });

  it('tells its progress from where it goes on', async () => {
    await fixture.interruptUpload();
    const told: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => told.push(progress);
    await fixture.upload({ onProgress });
    should(told[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(told.at(-1)).deepEqual([CONTENT.length, CONTENT.length, STORED]);
  });

  it('tells its progress from the first byte on where the session goes in the middle', async () => {
    await fixture.interruptUpload();
    fixture.service.fault = (seen) =>
      isContentPut(seen) && seen.path === '/session/s0' ? { status: 404 } : undefined;
    const told: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => told.push(progress);
    fixture.base.restart({ uploadSessions: fixture.sessions, clock: fixture.clock });
    await fixture.upload({ onProgress });
    should(told[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(told.at(-1)).deepEqual([CONTENT.length, CONTENT.length, 0]);
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('ends at once when it is cancelled while it reads what the service has', async () => {
    await fixture.interruptUpload();
    const ending = new AbortController();
    fixture.service.fault = (seen) => {
      if (seen.headers['content-range']?.startsWith('bytes */')) ending.abort();
      return undefined;
    };
    await rejected(fixture.base.upload({ path: fixture.path }, {}, { signal: ending.signal }), 'cancelled');
    fixture.service.fault = () => undefined;
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
  });

  it('never mixes contents: a file changed unseen is sent whole, and nothing else stays', async () => {
    await fixture.interruptUpload();
    const other = Buffer.from(CONTENT);
    other[0] = (other[0] ?? 0) ^ 1;
    await fixture.writeFile(other);
    await fixture.upload();
    fixture.base.onlyFile().content.equals(other).should.be.true();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED + CONTENT.length);
    fixture.sessions.saved.size.should.equal(0);
  });

  it('does not share a session with the same upload beside it', async () => {
    await fixture.interruptUpload();
    await Promise.all([fixture.upload(), fixture.upload(), fixture.upload()]);
    fixture.service.files
      .map(({ content: each }) => each.equals(CONTENT))
      .should.deepEqual([true, true, true]);
    fixture.sessionsStarted().should.equal(3);
    fixture.takeBytesSent().should.equal(3 * CONTENT.length - STORED);
    fixture.sessions.saved.size.should.equal(0);
  });

  it('finds the sessions of all that were at work when the process ended', async () => {
    fixture.service.fault = (seen) => (isContentPut(seen) ? 'reset' : undefined);
    await Promise.all([rejected(fixture.upload(), 'network'), rejected(fixture.upload(), 'network')]);
    fixture.service.fault = () => undefined;
    fixture.restart();
    await Promise.all([fixture.upload(), fixture.upload(), fixture.upload()]);
    fixture.sessionsStarted().should.equal(3);
    fixture.service.files.length.should.equal(3);
  });

  for (const ifExists of ['duplicate', 'skip', 'rename', 'error', 'replace'] as const) {
    it(`finds that the file was made after all, with ${ifExists}`, async () => {
      const { id } = await fixture.loseResponse({ ifExists });
      const { file, created } = await fixture.upload({ ifExists });
      should(file.id).equal(id);
      created.should.be.true();
      fixture.takeBytesSent().should.equal(0);
      fixture.service.files.length.should.equal(1);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('finds it by its id where the session is gone', async () => {
    const { id } = await fixture.loseResponse();
    fixture.service.sessions.clear();
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
    fixture.service.files.length.should.equal(1);
  });

  it('makes it anew where it was deleted or trashed meanwhile', async () => {
    await fixture.loseResponse();
    fixture.service.files.splice(0);
    fixture.service.sessions.clear();
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length);
    const old = await fixture.loseResponse({ name: 'other' });
    old.metadata['trashed'] = true;
    await fixture.upload({ name: 'other' });
    fixture.service.files.length.should.equal(3);
  });
});
