import should from 'should';
import { newRepositoryKey } from '../../../src/snapshots/crypto';
import { createKeyFile, openKeyFile } from '../../../src/snapshots/key-file';

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
