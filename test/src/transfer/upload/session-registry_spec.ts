/**
 * Which uploads resume a saved session.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { writeFile } from 'node:fs/promises';
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import type { UploadRequest } from '../../../../src/index';
import {
  SESSION_LIFETIME,
  SessionRegistry,
  sessionKey,
} from '../../../../src/transfer/upload/session-registry';
import type { Source } from '../../../../src/transfer/upload/source';
import { FakeClock } from '../../../support/clock';
import { bytes } from '../../../support/content';
import { MemorySessionStore } from '../../../support/client/memory-session-store';
import { CHANGED_AT, CONTENT, resumeFixture } from '../../../support/client/resume-fixture';

describe('SessionRegistry', () => {
  let store: MemorySessionStore;
  let clock: FakeClock;
  let registry: SessionRegistry;

  beforeEach(() => {
    store = new MemorySessionStore();
    clock = new FakeClock();
    registry = new SessionRegistry(store, clock);
  });

  const stored = () => (store.get('key') ?? []) as { address: string }[];
  const storedUrls = () => stored().map(({ address }) => address);
  const save = (sessionUrl: string): Promise<void> =>
    registry.lease('key').save({ sessionUrl, method: 'POST' });
  /** A session in the stored format. */
  const json = (more: object = {}) => ({ address: 'a', method: 'POST', begun: clock.now(), ...more });

  it('stores a session with its URL, method and start time', async () => {
    await save('a');
    stored().should.deepEqual([{ address: 'a', method: 'POST', begun: clock.now() }]);
  });

  it('leases each stored session to one upload at a time', async () => {
    await store.set('key', [json({ address: 'a' }), json({ address: 'b', method: 'PATCH', id: 'F' })]);
    const leases = [1, 2, 3].map(() => registry.lease('key'));
    leases.map(({ saved }) => saved?.sessionUrl).should.deepEqual(['a', 'b', undefined]);
    leases[1]?.release();
    should(registry.lease('key').saved).deepEqual({
      sessionUrl: 'b',
      method: 'PATCH',
      id: 'F',
      name: undefined,
      startedAt: clock.now(),
    });
    should(registry.lease('key').saved).be.undefined();
  });

  it('leases a new session to another upload only after the one that started it has released it', async () => {
    const lease = registry.lease('key');
    await lease.save({ sessionUrl: 'a', method: 'POST' });
    should(registry.lease('key').saved).be.undefined();
    lease.release();
    should(registry.lease('key').saved?.sessionUrl).equal('a');
  });

  it('removes a session when the same lease saves the next one or forgets it', async () => {
    await save('other');
    const lease = registry.lease('key');
    await lease.save({ sessionUrl: 'a', method: 'POST' });
    await lease.save({ sessionUrl: 'b', method: 'POST' });
    storedUrls().should.deepEqual(['other', 'b']);
    await lease.forget();
    storedUrls().should.deepEqual(['other']);
  });

  it('removes the key from the store when its last session is forgotten', async () => {
    const lease = registry.lease('key');
    await lease.save({ sessionUrl: 'a', method: 'POST' });
    await lease.forget();
    store.saved.size.should.equal(0);
  });

  it('stores only the latest fifty sessions of a key', async () => {
    for (let number = 0; number < 52; number++) await save(`${number}`);
    const urls = storedUrls();
    urls.length.should.equal(50);
    [urls[0], urls[49]].should.deepEqual(['2', '51']);
  });

  it('leases a session until it is a week old', async () => {
    SESSION_LIFETIME.should.equal(7 * 86_400_000);
    await store.set('key', [json()]);
    clock.elapse(SESSION_LIFETIME - 1);
    const lease = registry.lease('key');
    should(lease.saved?.sessionUrl).equal('a');
    lease.release();
    clock.elapse(1);
    should(registry.lease('key').saved).be.undefined();
  });

  for (const [what, invalid] of [
    ['no URL', { address: undefined }],
    ['an unknown method', { method: 'DELETE' }],
    ['a number as its id', { id: 5 }],
    ['a list as its name', { name: [] }],
    ['a string as its start time', { begun: String(Number.MAX_SAFE_INTEGER) }],
  ] as const)
    it(`ignores a stored session with ${what}`, async () => {
      await store.set('key', [json(invalid)]);
      should(registry.lease('key').saved).be.undefined();
    });
});

describe('sessionKey', () => {
  it('returns the key under which earlier versions have stored the session of an upload', () => {
    const service = {
      can: CAPABILITIES.google,
      baseUrl: '',
      uploadUrl: 'https://upload.example',
      folderMimeType: '',
      driveId: 'D',
    } as const;
    const request = {
      content: { path: '/data/backup.tar' },
      name: 'n',
      folderId: 'F',
      mimeType: '',
      keepModifiedTime: true,
      metadata: { a: 1 },
      ifExists: 'skip',
      fields: 'id',
    } as const;
    const source = { fingerprint: '10 20' } as Source;
    const key = sessionKey(service, request, source);
    should(key).equal('Z_O82ZNXlAlbHjloOfo24aM6BgDkY-g9kE_es9vgAJQ');
    // A session that replaces one file must not be resumed to replace another.
    const keys = ['A', 'B'].map((replaces) => sessionKey(service, { ...request, replaces }, source));
    new Set([...keys, sessionKey(service, request, source)]).size.should.equal(3);
  });
});

describe('saved session of an upload', () => {
  const fixture = resumeFixture();

  it('does not resume a saved session after a week', async () => {
    await fixture.interruptUpload();
    fixture.clock.elapse(SESSION_LIFETIME);
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length);
  });

  for (const [what, change] of [
    ['size', () => fixture.writeFile(bytes(6_000_002))],
    ['modification time', () => fixture.writeFile(CONTENT, new Date(CHANGED_AT.getTime() + 1))],
    ['path', async () => void (fixture.path = await fixture.base.onDisk(CONTENT, 'other.bin'))],
  ] as const) {
    it(`does not resume the saved session of a file with another ${what}`, async () => {
      await fixture.interruptUpload();
      await change();
      await fixture.upload();
      fixture.sessionsStarted().should.equal(2);
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
  ] satisfies Partial<UploadRequest>[]) {
    it(`does not resume the saved session for an upload with ${JSON.stringify(more)}`, async () => {
      await fixture.interruptUpload();
      await fixture.upload(more);
      fixture.sessionsStarted().should.equal(2);
    });
  }

  it('ignores a saved session that is invalid or whose URL is on a foreign host', async () => {
    await fixture.interruptUpload();
    const [[key, text] = ['', '']] = fixture.sessions.saved;
    const [session] = JSON.parse(text) as object[];
    for (const invalid of [
      5,
      {},
      [null, 5, {}],
      [{ ...session, address: 5 }],
      [{ ...session, method: 'DELETE' }],
      [{ ...session, address: 'http://198.51.100.7/x' }],
      [{ ...session, address: 'file:///etc/passwd' }],
    ]) {
      fixture.sessions.saved.set(key, JSON.stringify(invalid));
      (await fixture.upload()).created.should.be.true();
    }
    fixture.sessions.saved.size.should.equal(0);
  });

  it('saves no session for a small file or for data from a message', async () => {
    const counts: number[] = [];
    fixture.service.fault = () => void counts.push(fixture.sessions.saved.size);
    await fixture.base.upload({ data: CONTENT });
    await writeFile(fixture.path, 'small');
    await fixture.upload();
    Math.max(...counts).should.equal(0);
  });
});
