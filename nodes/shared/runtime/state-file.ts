/**
 * State that must survive a restart and isn't part of a flow: renewed tokens, upload sessions, watch positions. One
 * file in Node-RED's user directory, encrypted with a key derived from Node-RED's credential secret.
 *
 * Each write creates a new file and renames it, so that a crash leaves either the old or the new state. A file that
 * can't be decrypted is renamed before the first write, and read again with the former secret. A file of a newer
 * version of this package is renamed, too.
 *
 * Another Node-RED with another flow file may write the same file. Its entries have other keys, so each write changes
 * only the entries of this one. A lock file makes sure that nothing is written between the last look at the file and
 * its replacement.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { type FileHandle, chmod, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, errorCode, flushToDisk, systemClock, unrefClock } from '../../../src/index';
import type { WarningKey, WarningParams } from './catalogue';
import { fileVersion, versionOf, withLockFile } from './lock-file';

type UnreadableText =
  'state_unreadable' | 'state_unreadable_watches' | 'state_unreadable_restores' | 'state_newer';

export interface StateFileOptions {
  /** File name. Large or frequently written state has a file of its own. */
  name?: string;
  /** Key of the warning that says what is lost if the file can't be decrypted. */
  unreadableText?: Exclude<UnreadableText, 'state_unreadable' | 'state_newer'>;
  /** Key of the warning that says what is lost while the file can't be written. */
  notWritableText?: 'state_not_writable_restores';
  /** Node-RED's user directory; undefined if it has none. */
  userDir: string | undefined;
  /** Node-RED's flow file, if it is known. Another Node-RED with another one may use the same user directory. */
  flowFile?: string | undefined;
  /**
   * Node-RED's credential secret; undefined if credentials aren't encrypted. Node-RED may create it after the start.
   */
  secret: () => string | undefined;
  /**
   * The secret that Node-RED generated before the user set one. It exists until Node-RED has migrated its credentials,
   * with the next deploy. Until then, the user may remove the own secret again.
   */
  formerSecret?: () => string | undefined;
  /** Receives a catalogue key, once per problem. */
  warn: <Text extends WarningKey>(text: Text, params: WarningParams<Text>) => void;
  /** Called when the problem of a warning is over, so that its next occurrence is worth a new warning. */
  resolved?: (text: WarningKey) => void;
  clock?: Clock;
}

/** Why changes aren't on disk. */
export interface StateFileProblem {
  file: string;
  /** Code of the system's error. */
  reason: string;
}

type Sections = Map<string, Map<string, unknown>>;

interface Entry {
  section: string;
  key: string;
  /** Undefined for one that was deleted. */
  value: unknown;
}

const NAME = '.cloud-drive-state';
/** Suffix of the file that couldn't be decrypted. Only the latest one is saved. */
const UNREADABLE_SUFFIX = '.unreadable';
/** Layout of the file: this byte, then salt, IV and tag of the sizes below, then the encrypted JSON. */
const VERSION = 1;
/** This byte, then the number of bytes of the first copy, then a copy for each of two secrets, in the layout above. */
const TWO_SECRETS = 2;
const LENGTH = 4;
const SALT = 16;
const IV = 12;
const TAG = 16;
/** ms between two attempts to write. Short: a kill before the next one loses tokens that exist nowhere else. */
const RETRY_DELAY = 3_000;

export class StateFile {
  private readonly file: string | undefined;
  private readonly clock: Clock;
  private sections: Sections | undefined;
  /** What this process has stored, and what it has deleted since the last write. */
  private readonly own = new Map<string, Entry>();
  /** Identifies the file that was read or written last. */
  private version = '';
  /** The write in progress or the last one. Never rejects. */
  private writing: Promise<void> = Promise.resolve();
  /** The write that starts after {@link writing}: changes made until then share it. */
  private nextWrite: Promise<void> | undefined;
  private hasUnsavedChanges = false;
  private lastProblem: StateFileProblem | undefined;
  /** Cancels the pending retry. */
  private retry: AbortController | undefined;
  private readonly warned = new Set<WarningKey>();
  /**
   * The file exists but couldn't be read. Until it can be, it isn't overwritten: it may contain tokens that exist
   * nowhere else.
   */
  private isUnread = false;
  /** The warning about a file that couldn't be decrypted, which must be renamed before the first write. */
  private unreadableText: UnreadableText | undefined;

  constructor(private readonly options: StateFileOptions) {
    const { userDir, name = NAME, clock = unrefClock } = options;
    this.file = userDir === undefined ? undefined : path.join(userDir, name);
    this.clock = clock;
    if (options.formerSecret?.() !== undefined) this.adoptSecret();
  }

  /** Nothing else may read the file before the next deploy, after which the former secret is gone. */
  private adoptSecret(): void {
    if (this.all().size === 0 || this.options.secret() === undefined) return;
    this.hasUnsavedChanges = true;
    void this.flush();
  }

  /** False if nothing survives a restart; warns once with the reason. */
  get isAvailable(): boolean {
    if (this.file === undefined) return this.unavailable('state_no_user_dir');
    if (this.options.secret() === undefined) return this.unavailable('state_no_secret');
    return true;
  }

  /** Why the last change isn't on disk, once its {@link set} has resolved; undefined without a user directory. */
  get problem(): StateFileProblem | undefined {
    return this.lastProblem;
  }

  get(section: string, key: string): unknown {
    return this.all().get(section)?.get(key);
  }

  entries(section: string): [string, unknown][] {
    return [...(this.all().get(section)?.entries() ?? [])];
  }

  /**
   * Stores a JSON value; undefined deletes the key. Resolves after the attempt to write it. A failed write is retried
   * every few seconds, with the next change and by {@link flush}.
   */
  set(section: string, key: string, value: unknown): Promise<void> {
    const all = this.all();
    change(all, { section, key, value });
    const id = JSON.stringify([section, key]);
    if (value === undefined && !this.isAvailable) this.own.delete(id);
    else this.own.set(id, { section, key, value });
    if (!this.isAvailable) return Promise.resolve();
    this.hasUnsavedChanges = true;
    return this.flush();
  }

  /** Writes unsaved changes. Resolves when they are on disk, or when the attempt has failed. */
  flush(): Promise<void> {
    if (!this.hasUnsavedChanges) return this.writing;
    this.nextWrite ??= this.writing = this.writing.then(() => {
      this.nextWrite = undefined;
      return this.write();
    });
    return this.nextWrite;
  }

  private all(): Sections {
    this.sections ??= this.read();
    return this.sections;
  }

  private read(): Sections {
    if (this.file === undefined || this.secrets().length === 0) return new Map();
    let bytes: Buffer;
    try {
      this.version = fileVersion(this.file);
      bytes = readRegularFile(this.file);
    } catch (error) {
      const reason = errorCode(error) ?? 'unknown';
      this.isUnread = reason !== 'ENOENT' && reason !== 'ENOTDIR';
      if (this.isUnread) this.fail('state_not_read', { file: this.file, reason });
      return new Map();
    }
    const sections = this.load(bytes);
    if (sections) return sections;
    try {
      return (
        this.parse(readRegularFile(`${this.file}${UNREADABLE_SUFFIX}`)) ??
        new Map<string, Map<string, unknown>>()
      );
    } catch {
      return new Map();
    }
  }

  /** As {@link parse}, for the file itself. */
  private load(bytes: Buffer): Sections | undefined {
    const sections = this.parse(bytes);
    const isNewer = (bytes[0] ?? 0) > TWO_SECRETS;
    const text = isNewer ? 'state_newer' : (this.options.unreadableText ?? 'state_unreadable');
    this.unreadableText = sections ? undefined : text;
    return sections;
  }

  /** @returns undefined if the file was written with another credential secret or isn't a state file */
  private parse(bytes: Buffer): Sections | undefined {
    for (const copy of copies(bytes)) {
      for (const secret of this.secrets()) {
        const sections = parseCopy(copy, secret);
        if (sections) return sections;
      }
    }
    return undefined;
  }

  private secrets(): string[] {
    const { secret, formerSecret } = this.options;
    return [secret(), formerSecret?.()].filter((each) => each !== undefined);
  }

  private async write(): Promise<void> {
    if (!this.hasUnsavedChanges || this.file === undefined) return;
    this.retry?.abort();
    this.hasUnsavedChanges = false;
    // With its folders, so that two Node-REDs never write the same temporary file.
    const flowFile = this.options.flowFile?.replace(/[^\w.-]+/g, '_').slice(-100);
    const temporary = [this.file, flowFile, 'new'].filter(Boolean).join('.');
    try {
      await mkdir(path.dirname(this.file), { recursive: true });
      let written: Entry[];
      let temporaryVersion: string | undefined;
      do {
        this.readChanged(this.file);
        written = [...this.own.values()];
        temporaryVersion = await writeDurably(temporary, this.encrypt(toJson(this.all())));
        await this.renameUnreadable(this.file);
      } while (!(await this.replace(this.file, { temporary, temporaryVersion })));
      // Otherwise, a power failure could undo the renaming.
      await flushToDisk(path.dirname(this.file));
      this.writeSucceeded(written);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      this.writeFailed(this.file, error);
    }
  }

  /** @returns false if another Node-RED has written one of the files since they were read and written */
  private replace(
    file: string,
    { temporary, temporaryVersion }: { temporary: string; temporaryVersion: string | undefined },
  ): Promise<boolean> {
    const replaceUnchanged = (): boolean => {
      if (fileVersion(file) !== this.version || fileVersion(temporary) !== temporaryVersion) return false;
      renameSync(temporary, file);
      this.version = fileVersion(file);
      return true;
    };
    // With a clock that keeps the process alive until the state is on disk.
    return withLockFile(`${file}.lock`, replaceUnchanged, this.options.clock ?? systemClock);
  }

  /** Another Node-RED may have written the file. @throws if it can't be read, so that it isn't overwritten */
  private readChanged(file: string): void {
    const sections = this.all();
    const version = fileVersion(file);
    if (version === this.version && !this.isUnread) return;
    if (version === '') this.unreadableText = undefined;
    const current = version === '' ? sections : (this.load(readRegularFile(file)) ?? sections);
    this.sections = current;
    this.version = version;
    this.isUnread = false;
    for (const entry of this.own.values()) change(current, entry);
  }

  private async renameUnreadable(file: string): Promise<void> {
    if (!this.unreadableText) return;
    await renameUnreadable(file);
    this.warnOnce(this.unreadableText, { file, aside: `${file}${UNREADABLE_SUFFIX}` });
    this.unreadableText = undefined;
    this.version = '';
  }

  private writeSucceeded(written: readonly Entry[]): void {
    for (const entry of written) {
      const id = JSON.stringify([entry.section, entry.key]);
      if (entry.value === undefined && this.own.get(id) === entry) this.own.delete(id);
    }
    this.lastProblem = undefined;
    for (const text of [this.notWritableText, 'state_not_read'] as const)
      if (this.warned.delete(text)) this.options.resolved?.(text);
  }

  private get notWritableText(): 'state_not_writable' | 'state_not_writable_restores' {
    return this.options.notWritableText ?? 'state_not_writable';
  }

  private writeFailed(file: string, error: unknown): void {
    this.hasUnsavedChanges = true;
    const text = this.isUnread ? 'state_not_read' : this.notWritableText;
    this.fail(text, { file, reason: errorCode(error) ?? 'unknown' });
    this.retry = new AbortController();
    this.clock.sleep(RETRY_DELAY, this.retry.signal).then(
      () => this.flush(),
      () => undefined,
    );
  }

  private encrypt(text: Buffer): Buffer {
    const [first = Buffer.of(), second] = this.secrets().map((secret) => encrypt(text, secret));
    if (!second) return first;
    const header = Buffer.alloc(1 + LENGTH, TWO_SECRETS);
    header.writeUInt32BE(first.length, 1);
    return Buffer.concat([header, first, second]);
  }

  private fail(
    text: 'state_not_read' | 'state_not_writable' | 'state_not_writable_restores',
    problem: StateFileProblem,
  ): void {
    this.lastProblem = problem;
    this.warnOnce(text, { ...problem });
  }

  private unavailable(text: 'state_no_user_dir' | 'state_no_secret'): false {
    this.warnOnce(text, {});
    return false;
  }

  private warnOnce<Text extends WarningKey>(text: Text, params: WarningParams<Text>): void {
    if (this.warned.has(text)) return;
    this.warned.add(text);
    this.options.warn(text, params);
  }
}

function change(sections: Sections, { section, key, value }: Entry): void {
  const values = sections.get(section) ?? new Map<string, unknown>();
  sections.set(section, values);
  if (value === undefined) values.delete(key);
  else values.set(key, value);
}

function toJson(sections: Sections): Buffer {
  const state = Object.fromEntries(
    [...sections].map(([name, section]) => [name, Object.fromEntries(section)]),
  );
  return Buffer.from(JSON.stringify(state), 'utf8');
}

function copies(bytes: Buffer): Buffer[] {
  if (bytes[0] !== TWO_SECRETS || bytes.length < 1 + LENGTH) return [bytes];
  const end = 1 + LENGTH + bytes.readUInt32BE(1);
  return [bytes.subarray(1 + LENGTH, end), bytes.subarray(end)];
}

function parseCopy(bytes: Buffer, secret: string): Sections | undefined {
  try {
    const state = JSON.parse(decrypt(bytes, secret).toString('utf8')) as Record<string, object>;
    return new Map(Object.entries(state).map(([name, section]) => [name, new Map(Object.entries(section))]));
  } catch {
    return undefined;
  }
}

function encrypt(text: Buffer, secret: string): Buffer {
  const [salt, iv] = [randomBytes(SALT), randomBytes(IV)];
  const cipher = createCipheriv('aes-256-gcm', key(secret, salt), iv);
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), salt, iv, cipher.getAuthTag(), encrypted]);
}

function decrypt(bytes: Buffer, secret: string): Buffer {
  if (bytes[0] !== VERSION) throw new Error('unknown version');
  const part = (from: number, length: number): Buffer => bytes.subarray(1 + from, 1 + from + length);
  const decipher = createDecipheriv('aes-256-gcm', key(secret, part(0, SALT)), part(SALT, IV));
  decipher.setAuthTag(part(SALT + IV, TAG));
  return Buffer.concat([decipher.update(bytes.subarray(1 + SALT + IV + TAG)), decipher.final()]);
}

/** HKDF (RFC 5869) without key stretching: Node-RED protects the credentials themselves with a single hash. */
function key(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'cloud-drive state', 32));
}

/** Opening a FIFO, or reading from a device, could block Node-RED's start. */
function readRegularFile(file: string): Buffer {
  // Windows has no O_NONBLOCK, and no FIFOs in its file system.
  const descriptor = openSync(file, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory() || stats.isFile()) return readFileSync(descriptor);
    throw Object.assign(new Error('not a regular file'), { code: 'not a regular file' });
  } finally {
    closeSync(descriptor);
  }
}

/** A restored backup may have left the file readable for others. */
async function renameUnreadable(file: string): Promise<void> {
  try {
    // Fails if the file has another owner. That is acceptable: the content is encrypted.
    const isLink = (await lstat(file)).isSymbolicLink();
    if (!isLink) await chmod(file, 0o600).catch(() => undefined);
    await rename(file, `${file}${UNREADABLE_SUFFIX}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/**
 * Creates the file readable by its owner only.
 * @returns its version when it is on disk; undefined if another process, with a flow file of the same name, has just
 *   created one
 */
async function writeDurably(file: string, bytes: Buffer): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  // A file that a crash left behind may have other permissions.
  await rm(file, { force: true });
  try {
    handle = await open(file, 'wx', 0o600);
    await handle.writeFile(bytes);
    await handle.sync();
    return versionOf(await handle.stat({ bigint: true }));
  } catch (error) {
    if (handle || errorCode(error) !== 'EEXIST') throw error;
    return undefined;
  } finally {
    await handle?.close();
  }
}
