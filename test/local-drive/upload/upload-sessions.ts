import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ApiError } from '../http/api-error';
import { writeFileAtomically } from '../storage/atomic-file';
import type { Clock } from '../clock';
import type { ContentStore, IncomingContent } from '../storage/content-store';
import type { MetadataInput } from '../api/metadata-input';
import { randomToken } from '../oauth/tokens';

/** A session as stored on disk. */
interface StoredSession {
  fileId?: string;
  input: MetadataInput;
  /** The query of the first request; its `fields` apply to the final response. */
  query: string;
  mimeType?: string;
  total?: number;
  startedAt: number;
  blob: string;
  /** Id of the resulting file. */
  completedFileId?: string;
}

/** A resumable upload session. */
export interface UploadSession extends StoredSession {
  readonly id: string;
  readonly incoming: IncomingContent;
}

/** One week. */
const SESSION_LIFETIME_MS = 7 * 24 * 3600 * 1000;

/** The upload sessions, stored on disk so that they survive a restart. */
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

  /** The blobs of all sessions. */
  blobs(): string[] {
    return [...this.sessions.values()].map(({ blob }) => blob);
  }

  /** Number of incomplete sessions. */
  get open(): number {
    return [...this.sessions.values()].filter(({ completedFileId }) => completedFileId === undefined).length;
  }

  async start(options: Omit<StoredSession, 'startedAt' | 'blob'>): Promise<UploadSession> {
    const incoming = this.content.create();
    const stored = { ...options, startedAt: this.clock.now(), blob: incoming.blob };
    const session = { ...stored, id: `ABPtcP${randomToken(48)}`, incoming };
    this.sessions.set(session.id, session);
    await this.save(session);
    return session;
  }

  /** 404 for an unknown or deleted session, 410 after a week. */
  async find(id: string): Promise<UploadSession> {
    const session = this.sessions.get(id);
    if (!session) throw new ApiError(404, 'notFound', 'The upload session was not found.');
    if (this.clock.now() - session.startedAt <= SESSION_LIFETIME_MS) return session;
    await this.remove(id);
    throw new ApiError(410, 'gone', 'The upload session has expired.');
  }

  async save(session: UploadSession): Promise<void> {
    const { id, incoming: _incoming, ...stored } = session;
    await writeFileAtomically(join(this.dir, `${id}.json`), JSON.stringify(stored));
  }

  /** Deletes a session, and its content unless it belongs to a file. */
  async remove(id: string): Promise<void> {
    const session = this.sessions.get(id);
    if (!session) return;
    this.sessions.delete(id);
    if (session.completedFileId === undefined) await this.content.discard(session.incoming);
    await rm(join(this.dir, `${id}.json`), { force: true });
  }

  /**
   * Handles one request of a session at a time. A new request closes the connection of the previous one, which may
   * look open long after it was lost, and waits until all its bytes are stored.
   */
  async exclusively<T>(id: string, request: IncomingMessage, work: () => Promise<T>): Promise<T> {
    for (let previous = this.active.get(id); previous; previous = this.active.get(id)) {
      if (!previous.request.complete) previous.request.socket.destroy();
      await previous.done;
    }
    const result = work();
    const done = result.then(
      () => undefined,
      () => undefined,
    );
    this.active.set(id, { request, done });
    try {
      return await result;
    } finally {
      this.active.delete(id);
    }
  }

  private async load(name: string): Promise<void> {
    const id = name.replace(/\.json$/, '');
    if (id === name) return;
    const stored = JSON.parse(await readFile(join(this.dir, name), 'utf8')) as StoredSession;
    const stats = await stat(this.content.pathOf(stored.blob)).catch(() => undefined);
    this.sessions.set(id, { ...stored, id, incoming: { blob: stored.blob, size: stats?.size ?? 0 } });
  }
}
