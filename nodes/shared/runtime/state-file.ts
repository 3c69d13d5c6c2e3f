/**
 * What must outlive a restart and is no flow: renewed tokens, upload sessions, where a watch stands. One file per
 * Node-RED user directory, encrypted with a key made from Node-RED's credential secret.
 *
 * Written whole beside the old one and renamed, so that after a crash it is the old state or the new. One that can't be
 * decrypted is put aside, once there is something to write in its place: with the former secret it is read again.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { type FileHandle, chmod, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

export interface StateFileOptions {
  /** Of the file; what is large or written often has one of its own. */
  name?: string;
  /** Key of the sentence that says what is lost where the file can't be decrypted. */
  unreadableText?: string;
  /** Node-RED's user directory; undefined where it has none. */
  userDir: string | undefined;
  /** Node-RED's credential secret; undefined where credentials aren't encrypted. It may be made after the start. */
  secret: () => string | undefined;
  /** Told, with a catalogue key, why something can't be kept or had: of each cause once. */
  warn: (text: string, params: Record<string, string>) => void;
}

type Section = Record<string, unknown>;

const NAME = '.cloud-drive-state';
/** At the end of the name of what was put aside: the last one, readable by its owner alone. */
const ASIDE = '.unreadable';
/** Layout of the file: this byte, then salt, iv and tag of the sizes below, then the text. */
const VERSION = 1;
const SALT = 16;
const IV = 12;
const TAG = 16;

export class StateFile {
  private readonly file: string | undefined;
  private sections: Map<string, Map<string, unknown>> | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isDirty = false;
  private readonly told = new Set<string>();
  private isSpared = false;
  private isUnreadable = false;

  constructor(private readonly options: StateFileOptions) {
    const { userDir, name = NAME } = options;
    this.file = userDir === undefined ? undefined : path.join(userDir, name);
  }

  /** False where nothing outlives a restart; says why once. */
  get isAvailable(): boolean {
    if (this.file === undefined) return this.unavailable('state_no_user_dir');
    if (this.options.secret() === undefined) return this.unavailable('state_no_secret');
    return true;
  }

  /** @returns what was kept under that key, undefined where there is nothing */
  get(section: string, key: string): unknown {
    return this.all().get(section)?.get(key);
  }

  /** @returns all that is kept in a section */
  entries(section: string): [string, unknown][] {
    return [...(this.all().get(section)?.entries() ?? [])];
  }

  /** Keeps a JSON value; undefined forgets it. Resolves when it is on the disk, or can't be. */
  set(section: string, key: string, value: unknown): Promise<void> {
    const all = this.all();
    const kept = all.get(section) ?? new Map<string, unknown>();
    all.set(section, kept);
    if (value === undefined) kept.delete(key);
    else kept.set(key, value);
    if (!this.isAvailable) return Promise.resolve();
    this.isDirty = true;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Resolves when everything has been written. */
  flushed(): Promise<void> {
    return this.writing;
  }

  private all(): Map<string, Map<string, unknown>> {
    this.sections ??= this.read();
    return this.sections;
  }

  private read(): Map<string, Map<string, unknown>> {
    if (this.file === undefined || this.options.secret() === undefined) return new Map();
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.file);
    } catch (error) {
      const reason = codeOf(error);
      // What is there and can't be read just now is not written over: it holds what nothing else does.
      this.isSpared = reason !== 'ENOENT' && reason !== 'ENOTDIR';
      if (this.isSpared) this.warnOnce('state_not_read', { file: this.file, reason });
      return new Map();
    }
    const state = this.stateIn(bytes);
    if (state) return state;
    this.isUnreadable = true;
    const aside = `${this.file}${ASIDE}`;
    this.warnOnce(this.options.unreadableText ?? 'state_unreadable', { file: this.file, aside });
    try {
      return this.stateIn(readFileSync(aside)) ?? new Map<string, Map<string, unknown>>();
    } catch {
      return new Map();
    }
  }

  /** @returns undefined with another credential secret than it was written with, or where it is not our file */
  private stateIn(bytes: Buffer): Map<string, Map<string, unknown>> | undefined {
    try {
      const state = JSON.parse(this.decrypted(bytes).toString('utf8')) as Record<string, Section>;
      return new Map(
        Object.entries(state).map(([name, section]) => [name, new Map(Object.entries(section))]),
      );
    } catch {
      return undefined;
    }
  }

  /** Several changes at once make one file. */
  private async write(): Promise<void> {
    if (!this.isDirty || this.isSpared || this.file === undefined) return;
    this.isDirty = false;
    const state = Object.fromEntries(
      [...this.all()].map(([name, section]) => [name, Object.fromEntries(section)]),
    );
    const temporary = `${this.file}.new`;
    try {
      mkdirSync(path.dirname(this.file), { recursive: true });
      await writeDurably(temporary, this.encrypted(Buffer.from(JSON.stringify(state), 'utf8')));
      if (this.isUnreadable) await putAside(this.file);
      this.isUnreadable = false;
      await rename(temporary, this.file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      this.warnOnce('state_not_writable', { file: this.file, reason: codeOf(error) });
    }
  }

  private encrypted(text: Buffer): Buffer {
    const [salt, iv] = [randomBytes(SALT), randomBytes(IV)];
    const cipher = createCipheriv('aes-256-gcm', this.key(salt), iv);
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), salt, iv, cipher.getAuthTag(), sealed]);
  }

  private decrypted(bytes: Buffer): Buffer {
    if (bytes[0] !== VERSION) throw new Error('unknown version');
    const part = (from: number, length: number): Buffer => bytes.subarray(1 + from, 1 + from + length);
    const decipher = createDecipheriv('aes-256-gcm', this.key(part(0, SALT)), part(SALT, IV));
    decipher.setAuthTag(part(SALT + IV, TAG));
    return Buffer.concat([decipher.update(bytes.subarray(1 + SALT + IV + TAG)), decipher.final()]);
  }

  /** The secret protects the credentials with a single hash; no more is asked of it here. RFC 5869. */
  private key(salt: Buffer): Buffer {
    return Buffer.from(hkdfSync('sha256', this.options.secret() ?? '', salt, 'cloud-drive state', 32));
  }

  private unavailable(text: string): false {
    this.warnOnce(text, {});
    return false;
  }

  private warnOnce(text: string, params: Record<string, string>): void {
    if (this.told.has(text)) return;
    this.told.add(text);
    this.options.warn(text, params);
  }
}

/** @returns the system's word, such as `EACCES` */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** It may have been brought here by a copy, which others could read. */
async function putAside(file: string): Promise<void> {
  try {
    // Another owner's stays as it is: what it holds is encrypted.
    await chmod(file, 0o600).catch(() => undefined);
    await rename(file, `${file}${ASIDE}`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Readable by its owner alone from its first byte on, and on the disk when this is done. */
async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  let handle: FileHandle | undefined;
  // One may be left over from a crash, with other rights.
  await rm(file, { force: true });
  try {
    handle = await open(file, 'wx', 0o600);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
