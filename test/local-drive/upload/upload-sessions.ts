import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ApiError } from '../http/api-error';
import { writeFileAtomically } from '../storage/atomic-file';
import type { Clock } from '../clock';
import type { ContentStore, IncomingContent } from '../storage/content-store';
import type { MetadataInput } from '../api/metadata-input';
import { randomToken } from '../oauth/tokens';

/** What is kept of a session on disk. */
interface StoredSession {
  fileId?: string;
  input: MetadataInput;
  /** The query of the first request: its `fields` shape the last answer. */
  query: string;
  mimeType?: string;
  total?: number;
  startedAt: number;
  blob: string;
  /** The file it became. */
  completedFileId?: string;
}

/** One resumable upload. */
export interface UploadSession extends StoredSession {
  readonly id: string;
  readonly incoming: IncomingContent;
}

/** A session lives for a week. */
const SESSION_LIFETIME_MS = 7 * 24 * 3600 * 1000;

/** Resumable uploads under way; on disk too, so that they survive a restart of the service. */
export class UploadSessions {
  private readonly sessions = new Map<string, UploadSession>();
  private readonly active = new Map<string, { request: IncomingMessage; done: Promise<void> }>();

  private constructor(
    private readonly dir: string,
    private readonly content: ContentStore,
    private readonly clock: Clock,
  ) {}

  static async open(dataDir: string, content: ContentStore, clock: Clock): Promise<UploadSessions> {
    const sessions = new UploadSessions(join(dataDir, 'uploads'), content, clock);
    await mkdir(sessions.dir, { recursive: true });
    for (const name of await readdir(sessions.dir)) await sessions.load(name);
    return sessions;
  }

  /** The content that belongs to sessions. */
  blobs(): string[] {
    return [...this.sessions.values()].map(({ blob }) => blob);
  }

  /** How many are neither complete nor forgotten. */
  get open(): number {
    return [...this.sessions.values()].filter(({ completedFileId }) => completedFileId === undefined).length;
  }

  async start(from: Omit<StoredSession, 'startedAt' | 'blob'>): Promise<UploadSession> {
    const incoming = this.content.create();
    const stored = { ...from, startedAt: this.clock.now(), blob: incoming.blob };
    const session = { ...stored, id: `ABPtcP${randomToken(48)}`, incoming };
    this.sessions.set(session.id, session);
    await this.save(session);
    return session;
  }

  /** 404 for a session that never was or was removed, 410 after a week. */
  async find(id: string): Promise<UploadSession> {
    const session = this.sessions.get(id);
    if (!session) throw new ApiError(404, 'notFound', 'The upload session is not known.');
    if (this.clock.now() - session.startedAt <= SESSION_LIFETIME_MS) return session;
    await this.remove(id);
    throw new ApiError(410, 'gone', 'The upload session has expired.');
  }

  async save(session: UploadSession): Promise<void> {
    const { id, incoming: _incoming, ...stored } = session;
    await writeFileAtomically(join(this.dir, `${id}.json`), JSON.stringify(stored));
  }

  /** Forgets a session; its content too, unless it became a file. */
  async remove(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    this.sessions.delete(id);
    if (session.completedFileId === undefined) await this.content.discard(session.incoming);
    await rm(join(this.dir, `${id}.json`), { force: true });
  }

  /**
   * Runs one request of a session at a time. A newer one ends an older one: after a break the old connection
   * may look alive for long, and everything that it brought has to be counted before the new one is answered.
   */
  async exclusively<T>(id: string, request: IncomingMessage, work: () => Promise<T>): Promise<T> {
    for (let other = this.active.get(id); other; other = this.active.get(id)) {
      if (!other.request.complete) other.request.socket.destroy();
      await other.done;
    }
    const running = work();
    const done = running.then(
      () => undefined,
      () => undefined,
    );
    this.active.set(id, { request, done });
    try {
      return await running;
    } finally {
      this.active.delete(id);
    }
  }

  private async load(name: string): Promise<void> {
    const id = name.replace(/\.json$/, '');
    if (id === name) return;
    const stored = JSON.parse(await readFile(join(this.dir, name), 'utf8')) as StoredSession;
    const found = await stat(this.content.pathOf(stored.blob)).catch(() => undefined);
    this.sessions.set(id, { ...stored, id, incoming: { blob: stored.blob, size: found?.size ?? 0 } });
  }
}
