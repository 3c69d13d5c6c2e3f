import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import { decodeArmor } from '../../../../src/backup/archive/age-armor';
import { isDriveError } from '../../../../src/index';
import { encrypted } from '../../../support/archive/encrypted';
import { needsProgram, runWithPassphrase } from '../../../support/archive/programs';
import { rejected } from '../../../support/client/rejected';
import { bytes } from '../../../support/content';
import {
  AgeDecryption,
  AgeEncryption,
  type AgeHeader,
  AgeHeaderReader,
  type AgeRecipients,
  type AgeSecret,
  checkRecipients,
  generateAgeKeys,
  loadAge,
} from '../../../../src/backup/archive/age';

const CHUNK = 64 * 1024;
/** Lengths at which the last chunk is empty, full or has one byte. */
const LENGTHS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK];
const PASSPHRASE = 'correct horse battery staple';

async function encrypt(content: Buffer, to: AgeRecipients, step = 100_000): Promise<Buffer> {
  const encryption = await AgeEncryption.start(to);
  const parts = slices(content, step).flatMap((slice) => encryption.encrypt(slice));
  return Buffer.concat([encryption.header, ...parts, ...encryption.end()]);
}

async function decrypt(file: Buffer, secret: AgeSecret, step = 100_000): Promise<Buffer> {
  const reader = new AgeHeaderReader();
  let decryption: AgeDecryption | undefined;
  const parts: Buffer[] = [];
  for (const slice of slices(file, step)) {
    if (decryption) {
      parts.push(...decryption.decrypt(slice));
      continue;
    }
    const header: AgeHeader | undefined = reader.add(slice);
    if (!header) continue;
    decryption = await AgeDecryption.start(header, secret, 'a.tar.age');
    parts.push(...decryption.decrypt(header.rest));
  }
  if (!decryption) throw new Error('no header');
  return Buffer.concat([...parts, ...decryption.end()]);
}

function slices(content: Buffer, step: number): Buffer[] {
  return Array.from({ length: Math.ceil(content.length / step) }, (_, index) =>
    content.subarray(index * step, (index + 1) * step),
  );
}

describe('age encryption', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'age-'));
  });

  after(() => rm(folder, { recursive: true }));

  it('the age program decrypts what was encrypted for public keys, whatever its length', async function () {
    needsProgram(this, 'age');
    const [own, other] = [await generateAgeKeys(), await generateAgeKeys()];
    const [stored, key] = [path.join(folder, 'for-age'), path.join(folder, 'key')];
    await writeFile(key, `${own.identity}\n`);
    for (const length of LENGTHS) {
      const content = bytes(length);
      const file = await encrypt(content, { recipients: [other.recipient, own.recipient] });
      await writeFile(stored, file);
      execFileSync('age', ['-d', '-i', key, stored]).equals(content).should.be.true(`${length} bytes`);
    }
  });

  it('what the age program encrypted for a public key is decrypted, whatever its length', async function () {
    needsProgram(this, 'age');
    const { identity, recipient } = await generateAgeKeys();
    for (const length of LENGTHS) {
      const content = bytes(length);
      const file = execFileSync('age', ['-r', recipient], { input: content });
      for (const step of [CHUNK, 1000]) {
        (await decrypt(file, { identities: [identity] }, step)).equals(content).should.be.true(`${length}`);
      }
    }
  });

  it('the age program and this package decrypt what was encrypted with a passphrase', async function () {
    const content = bytes(CHUNK + 7);
    const file = await encrypt(content, { passphrase: PASSPHRASE });
    (await decrypt(file, { passphrase: PASSPHRASE })).equals(content).should.be.true();
    const other = await encrypted(content, { passphrase: PASSPHRASE });
    await rejected(
      decrypt(other, { passphrase: 'wrong' }),
      'invalid_input',
      'invalid_input_passphrase_wrong',
    );

    needsProgram(this, 'age');
    needsProgram(this, 'script');
    const [stored, decrypted] = [path.join(folder, 'encrypted'), path.join(folder, 'decrypted')];
    await writeFile(stored, file);
    await runWithPassphrase(`age -d -o ${decrypted} ${stored}`, PASSPHRASE);
    (await readFile(decrypted)).equals(content).should.be.true();
  });

  it('a private key of someone else is invalid input', async () => {
    const [own, other] = [await generateAgeKeys(), await generateAgeKeys()];
    const file = await encrypt(bytes(10), { recipients: [own.recipient] });
    const wrong = 'invalid_input_identity_wrong';
    await rejected(decrypt(file, { identities: [other.identity] }), 'invalid_input', wrong);
    await rejected(decrypt(file, { identities: ['AGE-SECRET-KEY-1X'] }), 'invalid_input');
    await rejected(decrypt(file, { passphrase: 'any' }), 'invalid_input');
    const both = [other.identity, own.identity];
    (await decrypt(file, { identities: both })).length.should.equal(10);
  });

  it('a changed, reordered or truncated file is a bad response', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const file = await encrypt(bytes(3 * CHUNK), { recipients: [recipient] });
    const secret = { identities: [identity] };
    const changed = (index: number): Buffer => {
      const copy = Buffer.from(file);
      copy[index]! ^= 1;
      return copy;
    };
    const start = file.length - 3 * (CHUNK + 16);
    const [first, second, third] = slices(file.subarray(start), CHUNK + 16);
    await rejected(decrypt(changed(file.length - 1), secret), 'bad_response');
    await rejected(decrypt(changed(start), secret), 'bad_response');
    await rejected(decrypt(changed(start - 20), secret), 'bad_response');
    const header = file.subarray(0, start);
    await rejected(decrypt(Buffer.concat([header, second!, first!, third!]), secret), 'bad_response');
    await rejected(decrypt(Buffer.concat([header, first!, second!]), secret), 'bad_response');
    await rejected(decrypt(file.subarray(0, -1), secret), 'bad_response');
    await rejected(decrypt(Buffer.concat([file, Buffer.from('x')]), secret), 'bad_response');
    await rejected(decrypt(Buffer.from('no age file at all'), secret), 'bad_response');
  });

  it('a header that is too long, or asks for too much work, is a bad response', async () => {
    const reason = async (file: Buffer) =>
      (await rejected(decrypt(file, { passphrase: PASSPHRASE }), 'bad_response', 'bad_response_age')).params[
        'reason'
      ];
    const file = await encrypted(bytes(10), { passphrase: PASSPHRASE });
    const [, salt = ''] = /-> scrypt (\S+) /.exec(file.toString('latin1')) ?? [];
    const withArguments = (text: string): Buffer =>
      Buffer.from(file.toString('latin1').replace(/-> scrypt .*/, `-> scrypt ${text}`), 'latin1');
    should(await reason(withArguments(`${salt} 21`))).equal('scrypt work factor');
    for (const text of [salt, `${salt} 18 x`, `${salt} 018`, `${salt} -1`, `${salt.slice(1)} 18`]) {
      should(await reason(withArguments(text))).equal('scrypt');
    }
    const long = Buffer.concat([Buffer.from('age-encryption.org/v1\n'), Buffer.alloc(70_000, '-> x\n')]);
    should(await reason(long)).equal('header too long');
  });

  it('the ASCII armor is decoded however it is split, and damage is a bad response', async () => {
    const content = bytes(200);
    const armored = loadAge().armor.encode(content);
    const decoded = async (text: string, step: number): Promise<Buffer> => {
      const parts: Buffer[] = [];
      for await (const part of decodeArmor(Readable.from(slices(Buffer.from(text), step)))) parts.push(part);
      return Buffer.concat(parts);
    };
    for (const text of [armored, `\r\n${armored.replaceAll('\n', '\r\n')}\n`])
      for (const step of [1, 2, 3, 5, 64, 1_000])
        (await decoded(text, step)).equals(content).should.be.true();
    const [line = ''] = /^.{64}$/m.exec(armored) ?? [];
    const damages = [
      armored.slice(0, -3),
      armored.replace('BEGIN', 'BEGUN'),
      armored.replace('END', 'ENDS'),
      armored.replace(line, line.slice(1)),
      armored.replace(line, `${line.slice(1)}*`),
      armored.replace(line, `AAA=\n${line}`),
      `${armored}more`,
      armored.split('\n').slice(0, 1).join(''),
    ];
    for (const text of damages)
      for (const step of [1, 1_000]) await rejected(decoded(text, step), 'bad_response', 'bad_response_age');
  });

  it('a header with more recipients than can be tried in seconds is a bad response', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const file = await encrypt(bytes(10), { recipients: Array<string>(101).fill(recipient) });
    (await decrypt(file, { identities: [identity] })).length.should.equal(10);
    const identities = Array<string>(10).fill(identity);
    const { params } = await rejected(decrypt(file, { identities }), 'bad_response', 'bad_response_age');
    should(params['reason']).equal('too many recipients');
  });

  it('a file without content, or without a key to decrypt it, is refused', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const file = await encrypt(bytes(10), { recipients: [recipient] });
    const withoutContent = file.subarray(0, -26);
    const error = await rejected(decrypt(withoutContent, { identities: [identity] }), 'bad_response');
    error.params.should.have.property('reason', 'truncated');
    await rejected(decrypt(file, { identities: [] }), 'invalid_input', 'invalid_input_identity');
  });

  it('malformed public keys and an empty passphrase are invalid input, and no private key appears in the error', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const check = (to: AgeRecipients): string => {
      try {
        checkRecipients(to);
      } catch (error) {
        if (isDriveError(error, 'invalid_input')) return error.message;
        throw error;
      }
      return '';
    };
    check({ recipients: [recipient] }).should.equal('');
    check({ recipients: [] }).should.equal('invalid_input_no_recipient property=recipients');
    check({ passphrase: '' }).should.equal('invalid_input_no_passphrase');
    const wrong = (key: string): string => check({ recipients: [recipient, key] });
    wrong(recipient.slice(0, -1)).should.equal('invalid_input_recipient property=recipients number=2');
    for (const key of [identity, identity.toLowerCase(), identity.slice(0, 20), `key:${identity}`]) {
      wrong(key).should.equal('invalid_input_recipient_private property=recipients number=2');
    }
    for (const key of ['ssh-ed25519', 'ecdsa-sha2-nistp256']) {
      wrong(key).should.equal('invalid_input_recipient_ssh property=recipients number=2');
    }
  });
});
