import { rejects } from 'node:assert/strict';
import crypto from 'node:crypto';
import should from 'should';
import { idOf, newRepositoryKey } from '../../../../src/backup/restic/crypto';
import { createKeyFile, openKeyFile } from '../../../../src/backup/restic/keys';
import { Repository } from '../../../../src/backup/restic/repository';
import type { RepositoryStore } from '../../../../src/backup/restic/store';
import { emptyRepository } from '../../../support/snapshots/disk-repository';

const OWNER = { host: 'pi', username: 'root', created: Date.UTC(2026, 10, 25) };

describe('A key file', () => {
  const master = newRepositoryKey();
  let content: Buffer;
  before(async () => {
    content = await createKeyFile(master, 'correct horse', OWNER);
  });

  it('gives the master key for its passphrase, and nothing for another', async () => {
    should(await openKeyFile(content, 'correct horse', 'keys/1')).eql(master);
    should(await openKeyFile(content, 'wrong horse', 'keys/1')).be.undefined();
  });

  it('says who created it, but has neither the passphrase nor the master key', () => {
    const json = JSON.parse(content.toString()) as object;
    json.should.containEql({
      hostname: 'pi',
      username: 'root',
      created: '2026-11-25T00:00:00Z',
      kdf: 'scrypt',
    });
    content.toString().should.not.match(/horse/);
    content.includes(master.encrypt.toString('base64')).should.be.false();
  });

  const hostile = {
    'parameters that take too much memory': { N: 2 ** 26 },
    'parameters that take minutes': { N: 2 ** 18, p: 64 },
    'an N that is no power of two': { N: 1000 },
    'a negative r': { r: -8 },
    'a huge p': { p: 2 ** 40 },
    'an r that is no number': { r: '8' },
    'another key derivation': { kdf: 'argon2' },
    'a short salt': { salt: 'AAAA' },
    'data that is no text': { data: 5 },
  };
  for (const [name, change] of Object.entries(hostile)) {
    it(`is refused with ${name}`, async () => {
      const json = { ...(JSON.parse(content.toString()) as object), ...change };
      const changed = Buffer.from(JSON.stringify(json));
      await openKeyFile(changed, 'correct horse', 'keys/1').should.be.rejectedWith({
        code: 'bad_response',
        text: 'bad_response_repository_file',
      });
    });
  }

  it('is refused if it is too large or no JSON', async () => {
    for (const bytes of ['', '[]', '{', ' '.repeat(100_000)]) {
      await openKeyFile(Buffer.from(bytes), 'x', 'keys/1').should.be.rejectedWith({ code: 'bad_response' });
    }
  });
});

describe('The key files of a repository', () => {
  const { scrypt } = crypto;
  /** How much work each key was that was tried. */
  let tried: number[];
  beforeEach(() => {
    tried = [];
    // What takes seconds isn't done.
    const counting = (...[passphrase, salt, length, options, done]: Parameters<typeof scrypt>): void => {
      const { N = 0, r = 0, p = 0 } = options;
      tried.push(N * r * p);
      if (N * r * p < 1_000) scrypt(passphrase, salt, length, options, done);
      else done(null, Buffer.alloc(length));
    };
    Object.assign(crypto, { scrypt: counting });
  });
  afterEach(() => void Object.assign(crypto, { scrypt }));

  function open(config: Buffer, keys: readonly Buffer[]): Promise<Repository> {
    const files = new Map(keys.map((content) => [idOf(content), content]));
    const names = [...files.keys()].map((name) => ({ type: 'keys', name, size: undefined }));
    const store = {
      list: () => Promise.resolve([{ type: 'config', name: 'config', size: undefined }, ...names]),
      load: (_type: string, name: string) => Promise.resolve(files.get(name) ?? config),
      stat: () => Promise.resolve(1),
    } as unknown as RepositoryStore;
    // Below a file, nothing is cached.
    const place = { place: 'x', cacheFolder: `${__filename}/cache`, folder: '/', retryFor: 0 };
    return Repository.open(store, { ...OWNER, ...place, passphrase: 'right' });
  }

  /** Each takes as long as one may. */
  function costlyKeys(keyFile: Buffer): Buffer[] {
    const json = JSON.parse(keyFile.toString()) as object;
    return Array.from({ length: 20 }, (_, number) =>
      Buffer.from(JSON.stringify({ ...json, N: 2 ** 18, r: 8, p: 8, number })),
    );
  }

  it('are tried from the cheapest on, whatever their order', async () => {
    const { keyFile, config } = await emptyRepository('right');
    tried = [];
    await open(config, [...costlyKeys(keyFile), keyFile]);
    tried.should.eql([128]);
  });

  it('are tried until they have taken as much work as a few of the costliest', async () => {
    const { keyFile, config } = await emptyRepository('another');
    tried = [];
    await rejects(open(config, [...costlyKeys(keyFile), keyFile]), {
      text: 'invalid_input_repository_passphrase',
    });
    tried.should.eql([128, ...Array<number>(3).fill(2 ** 24)]);
  });
});
