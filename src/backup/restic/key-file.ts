/**
 * The key files of a repository. Each contains the master key, encrypted with a key that scrypt derives from a
 * passphrase. A passphrase that opens none of them is refused by `openKeys` in repository.ts.
 * https://restic.readthedocs.io/en/stable/100_references.html#keys-encryption-and-mac
 */
import { randomBytes, scrypt } from 'node:crypto';
import { type JsonObject, isNumber, isString, isObject, tryParse } from '../../core/validator';
import { type RepositoryKey, seal, tryUnseal } from './crypto';
import { JsonReader } from './json-reader';
import { NS_PER_MS, formatTime } from './time';

/** 32 MiB of memory and about 0.1 s, as restic's default. */
const NEW_PARAMS = { N: 32_768, r: 8, p: 1 };
/** Limits the memory for a file from elsewhere to 256 MiB: restic calibrates to 60. */
const MAX_SCRYPT_MEMORY = 256 * 1024 * 1024;
const MAX_P = 64;
/** N · r · p: 64 times as much work as restic's default, or some seconds. */
export const MAX_WORK = 64 * 32_768 * 8;
const SALT = 64;
/** Bytes of a key file; restic's have about 500. */
const MAX_KEY_FILE = 64 * 1024;

interface ScryptParams {
  N: number;
  r: number;
  p: number;
}

/** @param created ms since 1970. @param params how much work it is to try a passphrase. @returns the content of a key file */
export async function createKeyFile(
  master: RepositoryKey,
  passphrase: string,
  {
    host,
    username,
    created,
    params = NEW_PARAMS,
  }: { host: string; username: string; created: number; params?: ScryptParams },
): Promise<Buffer> {
  const salt = randomBytes(SALT);
  const key = await derive(passphrase, salt, params);
  const { encrypt, macK, macR } = master;
  const keys = {
    mac: { k: macK.toString('base64'), r: macR.toString('base64') },
    encrypt: encrypt.toString('base64'),
  };
  const data = seal(key, Buffer.from(JSON.stringify(keys))).toString('base64');
  const time = formatTime(BigInt(created) * NS_PER_MS);
  const common = { created: time, username, hostname: host, kdf: 'scrypt', ...params };
  return Buffer.from(JSON.stringify({ ...common, salt: salt.toString('base64'), data }));
}

/** @returns how much work it is to try a passphrase. @throws `bad_response` for a malformed file, or one that takes too long */
export function keyFileWork(content: Buffer, file: string): number {
  const { N, r, p } = paramsOf(new JsonReader(file), readKeyFile(content, file));
  return N * r * p;
}

function readKeyFile(content: Buffer, file: string): JsonObject {
  return new JsonReader(file).object(content.length > MAX_KEY_FILE ? undefined : tryParse(content));
}

/**
 * @param file its path in the repository, for the error message
 * @returns the master key; undefined for the wrong passphrase
 * @throws `bad_response` for a malformed file
 */
export async function openKeyFile(
  content: Buffer,
  passphrase: string,
  file: string,
): Promise<RepositoryKey | undefined> {
  const reader = new JsonReader(file);
  const json = readKeyFile(content, file);
  const { salt, params } = { salt: bytesOf(reader, json, 'salt', SALT), params: paramsOf(reader, json) };
  const data = bytesOf(reader, json, 'data');
  const plain = tryUnseal(await derive(passphrase, salt, params), data);
  return plain && masterKey(reader, plain);
}

function paramsOf(reader: JsonReader, json: JsonObject): ScryptParams {
  if (json.kdf !== 'scrypt') throw reader.wrong('kdf');
  const N = reader.member(json, 'N', isNumber);
  const r = reader.member(json, 'r', isNumber);
  const p = reader.member(json, 'p', isNumber);
  const isPower = N >= 2 && Number.isInteger(Math.log2(N));
  const isValid = isPower && isInRange(r, 1024) && isInRange(p, MAX_P) && 128 * N * r <= MAX_SCRYPT_MEMORY;
  if (!isValid || N * r * p > MAX_WORK) throw reader.wrong('N, r, p');
  return { N, r, p };
}

function isInRange(value: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= maximum;
}

function masterKey(reader: JsonReader, plain: Buffer): RepositoryKey {
  const json = reader.object(tryParse(plain));
  const mac = reader.member(json, 'mac', isObject);
  return {
    encrypt: bytesOf(reader, json, 'encrypt', 32),
    macK: bytesOf(reader, mac, 'k', 16),
    macR: bytesOf(reader, mac, 'r', 16),
  };
}

/** @param length undefined for any */
function bytesOf(reader: JsonReader, json: JsonObject, name: string, length?: number): Buffer {
  const bytes = Buffer.from(reader.member(json, name, isString), 'base64');
  if (length !== undefined && bytes.length !== length) throw reader.wrong(name);
  return bytes;
}

async function derive(passphrase: string, salt: Buffer, { N, r, p }: ScryptParams): Promise<RepositoryKey> {
  const options = { N, r, p, maxmem: 128 * (N + p + 2) * r };
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    scrypt(passphrase, salt, 64, options, (error, derived) => (error ? reject(error) : resolve(derived))),
  );
  return { encrypt: bytes.subarray(0, 32), macK: bytes.subarray(32, 48), macR: bytes.subarray(48) };
}
