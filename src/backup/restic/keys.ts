/**
 * The key files of a repository. Each contains the master key, encrypted with a key that scrypt derives from a
 * passphrase. Several may have been left by machines that create the repository at the same time.
 * https://restic.readthedocs.io/en/stable/100_references.html#keys-encryption-and-mac
 */
import { randomBytes, scrypt } from 'node:crypto';
import { type JsonObject, isNumber, isObject, isString, tryParse } from '../../core/validator';
import { DriveError, isDriveError } from '../../errors';
import type { RepositoryCache } from './cache';
import { newPolynomial } from './chunker';
import { type RepositoryKey, idOf, newRepositoryKey, seal, tryUnseal, unseal } from './crypto';
import { JsonReader, NS_PER_MS, damagedFile, formatTime, isDamaged } from './json-file';
import { type RepositoryConfig, configJson, readConfig } from './snapshot-file';
import type { Access } from './snapshot-request';
import {
  type RepositoryStore,
  type StoredFile,
  isUnreadable,
  loadFile,
  namesOf,
  readIntact,
  saveFile,
} from './store';

/** 32 MiB of memory and about 0.1 s, as restic's default. */
const NEW_PARAMS = { N: 32_768, r: 8, p: 1 };
/** Limits the memory for a file from elsewhere to 256 MiB: restic calibrates to 60. */
const MAX_SCRYPT_MEMORY = 256 * 1024 * 1024;
const MAX_P = 64;
/** N · r · p: 64 times as much work as restic's default, or some seconds. */
const MAX_WORK = 64 * 32_768 * 8;
const SALT = 64;
/** Bytes of a key file; restic's have about 500. */
const MAX_KEY_FILE = 64 * 1024;
/** More would take minutes to load. */
const MAX_KEYS = 50;
/** Of all key files that are tried. */
const MAX_ALL_WORK = 4 * MAX_WORK;

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
function keyFileWork(content: Buffer, file: string): number {
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

/** Where the files of a repository come from. */
export interface Source {
  store: RepositoryStore;
  access: Access;
  cache?: RepositoryCache;
}

export interface OpenedKey {
  key: RepositoryKey;
  config: RepositoryConfig;
  keyName: string;
}

/**
 * Tries all keys: one may have been left behind by an attempt to create the repository, and not belong to its config.
 * @throws `invalid_input` if the passphrase belongs to none of them, `bad_response` for a damaged config
 */
export async function openKeys(source: Source, files: readonly StoredFile[]): Promise<OpenedKey> {
  const { store, cache, access } = source;
  let damage: DriveError | undefined;
  const copies = await store.stat('config', 'config');
  const cached = copies > 1 ? undefined : cache?.read('config', 'config');
  const found: (FoundConfig & { key: RepositoryKey; keyName: string })[] = [];
  for await (const { key, name } of passphraseKeys(source, files, (error) => (damage = error))) {
    const isCached = cached !== undefined && tryUnseal(key, cached) !== undefined;
    const config = isCached
      ? { opened: cached, attempt: 0 }
      : await findConfig(store, key).catch(ignoreDamage);
    if (config) found.push({ key, keyName: name, ...config });
    else damage = damagedFile('config', 'tag');
    if (found.length > 0 && copies < 2) break;
  }
  const chosen = await chooseConfig(source, files, found);
  if (chosen) {
    const { key, keyName, opened } = chosen;
    cache?.write('config', 'config', opened);
    return { key, keyName, config: readConfig(unseal(key, opened, 'config')) };
  }
  if (damage !== undefined) throw damage;
  const params = { folder: access.folder };
  throw new DriveError('invalid_input', { text: 'invalid_input_repository_passphrase', params });
}

/**
 * Of configs that two machines have created at once, the one with which a snapshot was written decides, or the oldest.
 */
async function chooseConfig<T extends FoundConfig & { key: RepositoryKey }>(
  source: Source,
  files: readonly StoredFile[],
  found: readonly T[],
): Promise<T | undefined> {
  if (found.length < 2) return found[0];
  const writer = await findWriter(source, namesOf(files, 'snapshots'), found);
  return writer ?? [...found].sort((a, b) => a.attempt - b.attempt)[0];
}

/** @param snapshots IDs. @returns the one whose key opens the first of them that can be opened */
export async function findWriter<T extends { key: RepositoryKey }>(
  source: Source,
  snapshots: readonly string[],
  candidates: readonly T[],
): Promise<T | undefined> {
  for (const id of snapshots) {
    const sealed = await loadFile(source, 'snapshots', id).catch(ignoreDamage);
    const found = sealed && candidates.find(({ key }) => tryUnseal(key, sealed));
    if (found) return found;
  }
  return undefined;
}

/** Yields those that the passphrase opens. */
export async function* passphraseKeys(
  source: Source,
  files: readonly StoredFile[],
  onDamage: (error: DriveError) => void = () => undefined,
): AsyncGenerator<{ name: string; key: RepositoryKey }> {
  let allWork = 0;
  for (const { name, content, work } of await loadKeys(source, namesOf(files, 'keys'), onDamage)) {
    if ((allWork += work) > MAX_ALL_WORK) return;
    try {
      const key = await openKeyFile(content, source.access.passphrase, `keys/${name}`);
      if (key) yield { name, key };
    } catch (error) {
      if (!isDriveError(error, 'bad_response')) throw error;
      onDamage(error);
    }
  }
}

/** @returns those that take the least time to try first: anyone who may add files can add one that takes long */
async function loadKeys(
  source: Source,
  names: readonly string[],
  onDamage: (error: DriveError) => void,
): Promise<{ name: string; content: Buffer; work: number }[]> {
  const keys: { name: string; content: Buffer; work: number }[] = [];
  for (const name of names.slice(0, MAX_KEYS)) {
    try {
      const content = await loadFile(source, 'keys', name);
      if (content) keys.push({ name, content, work: keyFileWork(content, `keys/${name}`) });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onDamage(error);
    }
  }
  return keys.sort((a, b) => a.work - b.work);
}

interface FoundConfig {
  /** As it is stored. */
  opened: Buffer;
  attempt: number;
}

/** @returns the first of the files with this name that the key opens. @throws `bad_response` */
export async function findConfig(store: RepositoryStore, key: RepositoryKey): Promise<FoundConfig> {
  const file = { type: 'config', name: 'config' } as const;
  const found = await readIntact(store, file, (each) => (tryUnseal(key, each) ? each : undefined));
  if (!found) throw damagedFile('config', 'tag');
  return found;
}

export function ignoreDamage(error: unknown): undefined {
  if (!isDamaged(error)) throw error;
}

/**
 * The store keeps the oldest config if another machine creates one at the same time. A creation that was interrupted
 * leaves its key. restic uses any that the passphrase opens, so it has to be this one.
 */
export async function createRepository(source: Source, files: readonly StoredFile[]): Promise<void> {
  const { store, access } = source;
  const { passphrase, host, username } = access;
  let key: RepositoryKey | undefined;
  for await (const left of passphraseKeys(source, files)) {
    ({ key } = left);
    break;
  }
  if (!key) {
    key = newRepositoryKey();
    const file = await createKeyFile(key, passphrase, { host, username, created: await store.time() });
    await saveFile(store, 'keys', idOf(file), file);
  }
  const config = { version: 2, id: randomBytes(32).toString('hex'), polynomial: newPolynomial() } as const;
  await saveFile(store, 'config', 'config', seal(key, configJson(config)));
  await keepOldestConfig(store, key);
}

/** If an older config stays, what only the own one can read is discarded. That one may be of a machine that uses this key. */
export async function keepOldestConfig(store: RepositoryStore, key: RepositoryKey): Promise<void> {
  if (await store.keepOldestConfig()) return;
  if (!(await findConfig(store, key).catch(ignoreDamage))) await store.discardWritten();
}
