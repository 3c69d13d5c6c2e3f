/**
 * Upload sessions by what they upload and where to, so that an upload that is run again finds its own.
 * A session lives for a week: https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ConflictPolicy } from '../files/conflict-policy';
import { isObject } from '../http/json';
import type { Clock, Service } from '../types';
import type { NewContent } from './file-metadata';
import type { SessionStore } from './session-store';
import type { Source } from './source';

export interface SavedSession {
  address: string;
  /** As of the destination. */
  method: 'POST' | 'PATCH';
  /** Of the file; undefined where the service is to choose it. */
  id?: string;
  /** Under which the file is made. */
  name?: string;
  /** ms since 1970 */
  begun: number;
}

/**
 * @returns the same for uploads that do the same with the same file on disk; it shows nothing of them. Undefined where
 * the content comes from elsewhere
 */
export function sessionKey(
  service: Service,
  request: NewContent & { ifExists: ConflictPolicy; fields: string },
  { state }: Source,
): string | undefined {
  if (!('path' in request.content) || state === undefined) return undefined;
  const { content, name, folderId, mimeType, keepModifiedTime, metadata, ifExists, fields } = request;
  const source = [path.resolve(content.path), state];
  const drive = service.space ?? service.driveId;
  const target = [
    service.uploadUrl,
    drive,
    folderId,
    name,
    mimeType,
    keepModifiedTime,
    metadata,
    ifExists,
    fields,
  ];
  return createHash('sha256')
    .update(JSON.stringify([source, target]))
    .digest('base64url');
}

const LIFETIME = 7 * 24 * 3_600_000;
/** Sessions of uploads that are the same in all things, as of one file that several messages upload at once. */
const MOST_ALIKE = 50;

export class SessionRegistry {
  /** Addresses with which an upload of this process is at work. */
  private readonly inUse = new Set<string>();

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** Takes the session of an earlier run, if there is one that nobody else has taken. To be released. */
  claim(key: string): SessionLease {
    const earlier = this.all(key).find(({ address }) => !this.inUse.has(address));
    const claim = new SessionLease(this, key, earlier);
    if (earlier) this.inUse.add(earlier.address);
    return claim;
  }

  /** For a claim. */
  replace(key: string, before: SavedSession | undefined, after: SavedSession | undefined): Promise<void> {
    if (before) this.inUse.delete(before.address);
    if (after) this.inUse.add(after.address);
    const others = this.all(key).filter(({ address }) => address !== before?.address);
    const sessions = after ? [...others, after].slice(-MOST_ALIKE) : others;
    return this.store.set(key, sessions.length > 0 ? sessions : undefined);
  }

  /** For a claim. */
  letGo({ address }: SavedSession): void {
    this.inUse.delete(address);
  }

  get now(): number {
    return this.clock.now();
  }

  private all(key: string): SavedSession[] {
    const kept = this.store.get(key);
    const oldest = this.clock.now() - LIFETIME;
    return Array.isArray(kept) ? kept.filter(isKeptSession).filter(({ begun }) => begun > oldest) : [];
  }
}

/** One upload's hold on its session: no other one uses it meanwhile. */
export class SessionLease {
  private current: SavedSession | undefined;

  constructor(
    private readonly sessions: SessionRegistry,
    private readonly key: string,
    /** What an earlier run has left. */
    readonly earlier: SavedSession | undefined,
  ) {
    this.current = earlier;
  }

  /** Resolves when the session would be found after a crash. */
  keep(session: Omit<SavedSession, 'begun'>): Promise<void> {
    return this.become({ ...session, begun: this.sessions.now });
  }

  /** The session has done its work, or is gone. */
  async forget(): Promise<void> {
    if (this.current) await this.become(undefined);
  }

  /** Leaves the session to the next run. */
  release(): void {
    if (this.current) this.sessions.letGo(this.current);
  }

  private become(session: SavedSession | undefined): Promise<void> {
    const before = this.current;
    this.current = session;
    return this.sessions.replace(this.key, before, session);
  }
}

/** What is read from a disk may be an older version's. */
function isKeptSession(value: unknown): value is SavedSession {
  if (!isObject(value)) return false;
  const { address, method, id, name, begun } = value;
  return (
    typeof address === 'string' &&
    (method === 'POST' || method === 'PATCH') &&
    [id, name].every((each) => each === undefined || typeof each === 'string') &&
    typeof begun === 'number'
  );
}
