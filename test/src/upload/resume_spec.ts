import { utimes, writeFile } from 'node:fs/promises';
import should from 'should';
import type { Upload } from '../../../src/index';
import { FakeClock } from '../../support/clock';
import { bytes } from '../../support/content';
import { MemorySessions } from '../../support/memory-sessions';
import { rejected } from '../../support/rejected';
import type { Seen } from '../../support/scripted-service';
import { uploadFixture } from '../../support/upload-fixture';
import type { Stored } from '../../support/upload-service';

const content = bytes(6_000_001);
const STORED = 2_097_152;
const WEEK = 7 * 24 * 3_600_000;
const changedAt = new Date('2024-01-02T03:04:05.678Z');

const isPut = ({ method, headers }: Seen): boolean =>
  method === 'PUT' && !headers['content-range']?.startsWith('bytes */');
const isStart = ({ query }: Seen): boolean => query.get('uploadType') === 'resumable';

describe('an upload that is run again', () => {
  const at = uploadFixture();
  let sessions: MemorySessions;
  let clock: FakeClock;
  let path: string;

  const restart = (): void => at.restart({ uploadSessions: sessions, clock, retryFor: 0 });
  const write = async (what: Buffer, time = changedAt): Promise<void> => {
    path = await at.onDisk(what);
    await utimes(path, time, time);
  };
  const run = (more: Partial<Upload> = {}) => at.upload({ path }, more);
  const starts = (): number => at.service.wire.seen.filter(isStart).length;
  /** What was sent as content since the last look. */
  let looked = 0;
  const sent = (): number => {
    const news = at.service.wire.seen.slice(looked).filter(isPut);
    looked = at.service.wire.seen.length;
    return news.reduce((sum, { body }) => sum + body.length, 0);
  };

  beforeEach(async () => {
    sessions = new MemorySessions();
    clock = new FakeClock();
    looked = 0;
    restart();
    await write(content);
  });

  /** The process ends when the service has a part. */
  async function interrupted(more: Partial<Upload> = {}): Promise<void> {
    at.service.fault = (seen) => {
      if (!isPut(seen)) return undefined;
      for (const session of at.service.sessions.values()) {
        if (session.parts.length === 0) session.parts = seen.body.subarray(0, STORED);
      }
      return 'reset';
    };
    await rejected(run(more), 'network');
    at.service.fault = () => undefined;
    restart();
    sent();
  }

  it('goes on where the service is, and proves the whole', async () => {
    await interrupted();
    const { file, created } = await run();
    created.should.be.true();
    should(file.id).equal(at.only().id);
    at.only().content.equals(content).should.be.true();
    starts().should.equal(1);
    sent().should.equal(content.length - STORED);
    sessions.kept.size.should.equal(0);
  });

  for (const [what, mode] of [
    ['rename', 'rename'],
    ['skip', 'skip'],
    ['error', 'error'],
    ['replace', 'replace'],
  ] as const) {
    it(`goes on with ${what} where the name is still free`, async () => {
      await interrupted({ ifExists: mode });
      (await run({ ifExists: mode })).created.should.be.true();
      sent().should.equal(content.length - STORED);
      at.only().content.equals(content).should.be.true();
    });
  }

  const put = (name: string, id = name): Stored => {
    const file = { id, resource: { name }, mimeType: 'a/b', content: Buffer.from('old') };
    at.service.files.push(file);
    return file;
  };

  it('keeps the file whose content it replaces', async () => {
    put('backup.tar', 'old-id');
    await interrupted({ ifExists: 'replace' });
    const { file, created } = await run({ ifExists: 'replace' });
    created.should.be.false();
    should(file.id).equal('old-id');
    sent().should.equal(content.length - STORED);
    at.only().content.equals(content).should.be.true();
  });

  it('keeps the number that it had chosen, and chooses another where that was taken meanwhile', async () => {
    put('backup.tar');
    await interrupted({ ifExists: 'rename' });
    (await run({ ifExists: 'rename' })).file.name?.should.equal('backup (1).tar');
    sent().should.equal(content.length - STORED);
    await interrupted({ ifExists: 'rename' });
    put('backup (2).tar');
    (await run({ ifExists: 'rename' })).file.name?.should.equal('backup (3).tar');
    sent().should.equal(content.length);
    at.service.files.length.should.equal(4);
  });

  it('leaves its session where the name was taken meanwhile', async () => {
    await interrupted({ ifExists: 'skip' });
    put('backup.tar');
    (await run({ ifExists: 'skip' })).skipped.should.be.true();
    sessions.kept.size.should.equal(0);
  });

  /** The file is made, its answer lost, and the process ends. */
  async function made(more: Partial<Upload> = {}): Promise<Stored> {
    at.service.fault = (seen) => {
      if (isPut(seen)) at.service.answer(seen);
      return isPut(seen) ? 'reset' : undefined;
    };
    await rejected(run(more), 'network');
    at.service.fault = () => undefined;
    restart();
    sent();
    const file = at.service.files.at(-1);
    if (!file) throw new Error('nothing was made');
    return file;
  }

  for (const ifExists of ['duplicate', 'skip', 'rename', 'error', 'replace'] as const) {
    it(`finds that the file was made after all, with ${ifExists}`, async () => {
      const { id } = await made({ ifExists });
      const { file, created } = await run({ ifExists });
      should(file.id).equal(id);
      created.should.be.true();
      sent().should.equal(0);
      at.service.files.length.should.equal(1);
      sessions.kept.size.should.equal(0);
    });
  }

  it('finds it by its id where the session is gone', async () => {
    const { id } = await made();
    at.service.sessions.clear();
    should((await run()).file.id).equal(id);
    sent().should.equal(0);
    at.service.files.length.should.equal(1);
  });

  it('makes it anew where it was deleted or trashed meanwhile', async () => {
    await made();
    at.service.files.splice(0);
    at.service.sessions.clear();
    await run();
    sent().should.equal(content.length);
    const old = await made({ name: 'other' });
    old.resource['trashed'] = true;
    await run({ name: 'other' });
    at.service.files.length.should.equal(3);
  });

  for (const status of [400, 403, 404, 410]) {
    it(`begins anew where the service answers ${status} for its session`, async () => {
      await interrupted();
      at.service.fault = ({ path: where }) => (where === '/session/s0' ? { status } : undefined);
      await run();
      at.only().content.equals(content).should.be.true();
      starts().should.equal(2);
      sent().should.equal(content.length);
      sessions.kept.size.should.equal(0);
    });
  }

  it('keeps it while the service can’t be asked', async () => {
    await interrupted();
    at.service.fault = ({ path: where }) => (where.startsWith('/session') ? { status: 503 } : undefined);
    await rejected(run(), 'service_unavailable');
    at.service.fault = () => undefined;
    await run();
    sent().should.equal(content.length - STORED);
  });

  it('forgets it after a week', async () => {
    await interrupted();
    clock.pass(WEEK);
    await run();
    sent().should.equal(content.length);
  });

  for (const [what, change] of [
    ['another size', () => write(bytes(6_000_002))],
    ['another time', () => write(content, new Date(changedAt.getTime() + 1))],
    ['another path', async () => void (path = await at.onDisk(content, 'other.bin'))],
  ] as const) {
    it(`is another upload with ${what}`, async () => {
      await interrupted();
      await change();
      await run();
      starts().should.equal(2);
    });
  }

  for (const more of [
    { name: 'other' },
    { folderId: 'other' },
    { mimeType: 'a/b' },
    { metadata: { description: 'x' } },
    { keepModifiedTime: true },
    { ifExists: 'skip' },
    { fields: 'id' },
  ] satisfies Partial<Upload>[]) {
    it(`is another upload with ${JSON.stringify(more)}`, async () => {
      await interrupted();
      await run(more);
      starts().should.equal(2);
    });
  }

  it('never mixes contents: a file changed unseen is sent whole, and nothing else stays', async () => {
    await interrupted();
    const other = Buffer.from(content);
    other[0] = (other[0] ?? 0) ^ 1;
    await write(other);
    await run();
    at.only().content.equals(other).should.be.true();
    sent().should.equal(content.length - STORED + content.length);
    sessions.kept.size.should.equal(0);
  });

  it('does not share a session with the same upload beside it', async () => {
    await interrupted();
    await Promise.all([run(), run(), run()]);
    at.service.files.map(({ content: each }) => each.equals(content)).should.deepEqual([true, true, true]);
    starts().should.equal(3);
    sent().should.equal(3 * content.length - STORED);
    sessions.kept.size.should.equal(0);
  });

  it('finds the sessions of all that were at work when the process ended', async () => {
    at.service.fault = (seen) => (isPut(seen) ? 'reset' : undefined);
    await Promise.all([rejected(run(), 'network'), rejected(run(), 'network')]);
    at.service.fault = () => undefined;
    restart();
    await Promise.all([run(), run(), run()]);
    starts().should.equal(3);
    at.service.files.length.should.equal(3);
  });

  it('takes nothing from disk that makes no sense, and sends its token nowhere else', async () => {
    await interrupted();
    const [[key, text] = ['', '']] = sessions.kept;
    const [session] = JSON.parse(text) as object[];
    for (const odd of [
      5,
      {},
      [null, 5, {}],
      [{ ...session, address: 5 }],
      [{ ...session, method: 'DELETE' }],
      [{ ...session, address: 'http://198.51.100.7/x' }],
      [{ ...session, address: 'file:///etc/passwd' }],
    ]) {
      sessions.kept.set(key, JSON.stringify(odd));
      (await run()).created.should.be.true();
    }
    sessions.kept.size.should.equal(0);
  });

  it('tells its progress from where it goes on', async () => {
    await interrupted();
    const told: number[] = [];
    await run({ onProgress: (transferred) => told.push(transferred) });
    should(told[0]).equal(STORED);
    should(told.at(-1)).equal(content.length);
  });

  it('ends at once when it is cancelled while it reads what the service has', async () => {
    await interrupted();
    const ending = new AbortController();
    at.service.fault = (seen) => {
      if (seen.headers['content-range']?.startsWith('bytes */')) ending.abort();
      return undefined;
    };
    await rejected(at.upload({ path }, {}, { signal: ending.signal }), 'cancelled');
    at.service.fault = () => undefined;
    await run();
    sent().should.equal(content.length - STORED);
  });

  it('keeps no session of a small file, nor of what came in a message', async () => {
    const kept: number[] = [];
    at.service.fault = () => void kept.push(sessions.kept.size);
    await at.upload({ data: content });
    await writeFile(path, 'small');
    await run();
    Math.max(...kept).should.equal(0);
  });
});
