import { randomBytes } from 'node:crypto';
import { poly1305 } from '../../../../src/backup/restic/poly1305';

/** Written as in the definition. https://datatracker.ietf.org/doc/html/rfc8439#section-2.5.1 */
function reference(key: Buffer, message: Buffer): Buffer {
  const number = (bytes: Buffer): bigint => BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
  const r = number(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let start = 0; start < message.length; start += 16) {
    const block = Buffer.concat([message.subarray(start, start + 16), Buffer.of(1)]);
    sum = ((sum + number(block)) * r) % (2n ** 130n - 5n);
  }
  const total = BigInt.asUintN(128, sum + number(key.subarray(16)));
  return Buffer.from(total.toString(16).padStart(32, '0'), 'hex').reverse();
}

describe('Poly1305', () => {
  it('has the tag of the example in RFC 8439', () => {
    const key = '85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b';
    const message = Buffer.from('Cryptographic Forum Research Group');
    poly1305(Buffer.from(key, 'hex'), message)
      .toString('hex')
      .should.equal('a8061dc1305136c6c22b8baf0c0127a9');
  });

  it('has the tags of the definition, for all lengths and the largest numbers', () => {
    for (let length = 0; length < 200; length++) {
      for (const [key, message] of [
        [randomBytes(32), randomBytes(length)],
        [Buffer.alloc(32, 255), Buffer.alloc(length, 255)],
        [Buffer.alloc(32, 2), Buffer.alloc(length, 251)],
      ] as const)
        poly1305(key, message).should.eql(reference(key, message), `${length} bytes`);
    }
    const [key, message] = [Buffer.alloc(32, 255), Buffer.alloc(1_000_003, 255)];
    poly1305(key, message).should.eql(reference(key, message));
  });
});
