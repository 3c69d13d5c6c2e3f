import { randomBytes } from 'node:crypto';
import 'should';
import {
  OVERHEAD,
  idOf,
  newRepositoryKey,
  seal,
  tryUnseal,
  unseal,
} from '../../../../src/backup/restic/crypto';

describe('The encryption of repositories', () => {
  const key = newRepositoryKey();

  for (const length of [0, 1, 16, 1000, 100_000]) {
    it(`decrypts ${length} bytes that it encrypted, which take ${OVERHEAD} bytes more`, () => {
      const plain = randomBytes(length);
      const sealed = seal(key, plain);
      sealed.length.should.equal(length + OVERHEAD);
      unseal(key, sealed, 'index/1').equals(plain).should.be.true();
    });
  }

  it('encrypts the same bytes differently each time', () => {
    seal(key, Buffer.from('a'))
      .equals(seal(key, Buffer.from('a')))
      .should.be.false();
  });

  it('decrypts nothing whose IV, content or tag was changed, that is truncated, or has another key', () => {
    const sealed = seal(key, Buffer.from('content'));
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[index] = (sealed[index] as number) ^ 1;
      (tryUnseal(key, changed) === undefined).should.be.true();
    }
    for (const length of [0, 10, 31, sealed.length - 1]) {
      (tryUnseal(key, sealed.subarray(0, length)) === undefined).should.be.true();
    }
    (tryUnseal(newRepositoryKey(), sealed) === undefined).should.be.true();
    (() => unseal(newRepositoryKey(), sealed, 'index/1')).should.throw({
      code: 'bad_response',
      text: 'bad_response_repository_file',
      params: { file: 'index/1', reason: 'tag' },
    });
  });

  it('names content by its SHA-256', () => {
    idOf(Buffer.from('abc')).should.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
