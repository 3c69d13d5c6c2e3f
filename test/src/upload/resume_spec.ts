/**
 * An upload that is run again goes on where it was.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import type { OnProgress } from '../../../src/index';
import { CONTENT, STORED, isPut, resumeFixture } from '../../support/client/resume-fixture';
import { rejected } from '../../support/client/rejected';

describe('an upload that is run again', () => {
  const the = resumeFixture();

  it('goes on where the service is, and proves the whole', async () => {
    await the.interrupted();
    const { file, created } = await the.run();
    created.should.be.true();
    should(file.id).equal(the.at.only().id);
    the.at.only().content.equals(CONTENT).should.be.true();
    the.starts().should.equal(1);
    the.sent().should.equal(CONTENT.length - STORED);
    the.sessions.kept.size.should.equal(0);
  });

  for (const ifExists of ['rename', 'skip', 'error', 'replace'] as const) {
    it(`goes on with ${ifExists} where the name is still free`, async () => {
      await the.interrupted({ ifExists });
      (await the.run({ ifExists })).created.should.be.true();
      the.sent().should.equal(CONTENT.length - STORED);
      the.at.only().content.equals(CONTENT).should.be.true();
    });
  }

  it('keeps the file whose content it replaces', async () => {
    the.put('backup.tar', 'old-id');
    await the.interrupted({ ifExists: 'replace' });
    const { file, created } = await the.run({ ifExists: 'replace' });
    created.should.be.false();
    should(file.id).equal('old-id');
    the.sent().should.equal(CONTENT.length - STORED);
    the.at.only().content.equals(CONTENT).should.be.true();
  });

  it('keeps the number that it had chosen, and chooses another where that was taken meanwhile', async () => {
    the.put('backup.tar');
    await the.interrupted({ ifExists: 'rename' });
    (await the.run({ ifExists: 'rename' })).file.name?.should.equal('backup (1).tar');
    the.sent().should.equal(CONTENT.length - STORED);
    await the.interrupted({ ifExists: 'rename' });
    the.put('backup (2).tar');
    (await the.run({ ifExists: 'rename' })).file.name?.should.equal('backup (3).tar');
    the.sent().should.equal(CONTENT.length);
    the.service.files.length.should.equal(4);
  });

  it('leaves its session where the name was taken meanwhile', async () => {
    await the.interrupted({ ifExists: 'skip' });
    the.put('backup.tar');
    (await the.run({ ifExists: 'skip' })).skipped.should.be.true();
    the.sessions.kept.size.should.equal(0);
  });

  for (const status of [400, 403, 404, 410]) {
    it(`begins anew where the service answers ${status} for its session`, async () => {
      await the.interrupted();
      the.service.fault = ({ path: where }) => (where === '/session/s0' ? { status } : undefined);
      await the.run();
      the.at.only().content.equals(CONTENT).should.be.true();
      the.starts().should.equal(2);
      the.sent().should.equal(CONTENT.length);
      the.sessions.kept.size.should.equal(0);
    });
  }

  it('keeps it while the service can’t be asked', async () => {
    await the.interrupted();
    the.service.fault = ({ path: where }) => (where.startsWith('/session') ? { status: 503 } : undefined);
    await rejected(the.run(), 'service_unavailable');
    the.service.fault = () => undefined;
    await the.run();
    the.sent().should.equal(CONTENT.length - STORED);
  });

  it('tells its progress from where it goes on', async () => {
    await the.interrupted();
    const told: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => told.push(progress);
    await the.run({ onProgress });
    should(told[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(told.at(-1)).deepEqual([CONTENT.length, CONTENT.length, STORED]);
  });

  it('tells its progress from the first byte on where the session goes in the middle', async () => {
    await the.interrupted();
    the.service.fault = (seen) => (isPut(seen) && seen.path === '/session/s0' ? { status: 404 } : undefined);
    const told: Parameters<OnProgress>[] = [];
    const onProgress: OnProgress = (...progress) => told.push(progress);
    the.at.restart({ uploadSessions: the.sessions, clock: the.clock });
    await the.run({ onProgress });
    should(told[0]).deepEqual([STORED, CONTENT.length, STORED]);
    should(told.at(-1)).deepEqual([CONTENT.length, CONTENT.length, 0]);
    the.at.only().content.equals(CONTENT).should.be.true();
  });

  it('ends at once when it is cancelled while it reads what the service has', async () => {
    await the.interrupted();
    const ending = new AbortController();
    the.service.fault = (seen) => {
      if (seen.headers['content-range']?.startsWith('bytes */')) ending.abort();
      return undefined;
    };
    await rejected(the.at.upload({ path: the.path }, {}, { signal: ending.signal }), 'cancelled');
    the.service.fault = () => undefined;
    await the.run();
    the.sent().should.equal(CONTENT.length - STORED);
  });

  it('never mixes contents: a file changed unseen is sent whole, and nothing else stays', async () => {
    await the.interrupted();
    const other = Buffer.from(CONTENT);
    other[0] = (other[0] ?? 0) ^ 1;
    await the.write(other);
    await the.run();
    the.at.only().content.equals(other).should.be.true();
    the.sent().should.equal(CONTENT.length - STORED + CONTENT.length);
    the.sessions.kept.size.should.equal(0);
  });

  it('does not share a session with the same upload beside it', async () => {
    await the.interrupted();
    await Promise.all([the.run(), the.run(), the.run()]);
    the.service.files.map(({ content: each }) => each.equals(CONTENT)).should.deepEqual([true, true, true]);
    the.starts().should.equal(3);
    the.sent().should.equal(3 * CONTENT.length - STORED);
    the.sessions.kept.size.should.equal(0);
  });

  it('finds the sessions of all that were at work when the process ended', async () => {
    the.service.fault = (seen) => (isPut(seen) ? 'reset' : undefined);
    await Promise.all([rejected(the.run(), 'network'), rejected(the.run(), 'network')]);
    the.service.fault = () => undefined;
    the.restart();
    await Promise.all([the.run(), the.run(), the.run()]);
    the.starts().should.equal(3);
    the.service.files.length.should.equal(3);
  });

  for (const ifExists of ['duplicate', 'skip', 'rename', 'error', 'replace'] as const) {
    it(`finds that the file was made after all, with ${ifExists}`, async () => {
      const { id } = await the.made({ ifExists });
      const { file, created } = await the.run({ ifExists });
      should(file.id).equal(id);
      created.should.be.true();
      the.sent().should.equal(0);
      the.service.files.length.should.equal(1);
      the.sessions.kept.size.should.equal(0);
    });
  }

  it('finds it by its id where the session is gone', async () => {
    const { id } = await the.made();
    the.service.sessions.clear();
    should((await the.run()).file.id).equal(id);
    the.sent().should.equal(0);
    the.service.files.length.should.equal(1);
  });

  it('makes it anew where it was deleted or trashed meanwhile', async () => {
    await the.made();
    the.service.files.splice(0);
    the.service.sessions.clear();
    await the.run();
    the.sent().should.equal(CONTENT.length);
    const old = await the.made({ name: 'other' });
    old.resource['trashed'] = true;
    await the.run({ name: 'other' });
    the.service.files.length.should.equal(3);
  });
});
