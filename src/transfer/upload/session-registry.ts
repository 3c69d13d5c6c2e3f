/**
 * Saved upload sessions, found again by what is uploaded and where to. A repeated upload leases the session of an
 * earlier run, also after a restart.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type JsonObject, isObject } from '../../core/validator';
import type { Clock, Service } from '../../types';
import type { Source } from './source';
import type { UploadRequest } from './upload-request';

/**
 * Storage that outlives the process. A session URL grants write access to the file, so an implementation encrypts the
 * values and returns them to the same account only.
 */
export interface SessionStore {
  /** @returns the JSON value that was set, undefined if there is none */
  get(key: string): unknown;
  /** Stores a JSON value; undefined removes it. Never rejects: resolves once the value is stored or can't be. */
  set(key: string, value: unknown): Promise<void>;
}

export interface SavedSession {
  sessionUrl: string;
  method: 'POST' | 'PATCH';
  /** File id; undefined if the service chooses it. */
  id?: string;
  /** Name of the file to be created. */
  name?: string;
  /** ms since 1970 */
  startedAt: number;
}

/** ms: https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
export const SESSION_LIFETIME = 7 * 24 * 3_600_000;
/** Saved sessions per key, for several messages that upload the same file at once. */
const MAX_SESSIONS_PER_KEY = 50;

/**
 * @returns a key that is equal for repeated uploads of the same file on disk, and reveals nothing about them; undefined
 * for content that isn't on disk
 */
export function sessionKey(
  service: Service,
  request: UploadRequest,
  { fingerprint }: Source,
): string | undefined {
  if (!('path' in request.content) || fingerprint === undefined) return undefined;
  const { content, name, folderId, mimeType, keepModifiedTime, metadata, ifExists, fields, replaces } =
    request;
  const { uploadUrl, space, driveId } = service;
  const source = [path.resolve(content.path), fingerprint];
  const drive = [uploadUrl, space ?? driveId, folderId];
  const target = [...drive, name, mimeType, keepModifiedTime, metadata, ifExists, fields];
  if (replaces !== undefined) target.push(replaces);
  return createHash('sha256')
    .update(JSON.stringify([source, target]))
    .digest('base64url');
}

/** One upload's exclusive use of a session. */
export interface SessionLease {
  /** The session of an earlier run. */
  readonly saved: SavedSession | undefined;
  /** Replaces the saved session. Resolves when a restart would find the new one. */
  save(session: Omit<SavedSession, 'startedAt'>): Promise<void>;
  /** Removes a session that is complete or expired. */
  forget(): Promise<void>;
  /** Lets the next run use the session. */
  release(): void;
}

export class SessionRegistry {
  /** Session URLs that an upload of this process uses. */
  private readonly leased = new Set<string>();

  /** @param store undefined if uploads don't survive a restart */
  constructor(
    private readonly store: SessionStore | undefined,
    private readonly clock: Clock,
  ) {}

  /** @returns a lease of a saved session that no other upload uses, or of none. It must be released. */
  lease(key: string): SessionLease {
    const saved = this.load(key).find(({ sessionUrl }) => !this.leased.has(sessionUrl));
    let current = saved;
    if (saved) this.leased.add(saved.sessionUrl);
    const release = (): void => void (current && this.leased.delete(current.sessionUrl));
    const replace = async (session?: SavedSession): Promise<void> => {
      const before = current;
      release();
      current = session;
      if (session) this.leased.add(session.sessionUrl);
      const others = this.load(key).filter(({ sessionUrl }) => sessionUrl !== before?.sessionUrl);
      const sessions = session ? [...others, session].slice(-MAX_SESSIONS_PER_KEY) : others;
      await this.store?.set(key, sessions.length > 0 ? sessions.map(toJson) : undefined);
    };
    return {
      saved,
      save: (session) => replace({ ...session, startedAt: this.clock.now() }),
      forget: async () => {
        if (current) await replace();
      },
      release,
    };
  }

  private load(key: string): SavedSession[] {
    const value = this.store?.get(key);
    if (!Array.isArray(value)) return [];
    const expired = this.clock.now() - SESSION_LIFETIME;
    return value.flatMap(fromJson).filter(({ startedAt }) => startedAt > expired);
  }
}

/** The stored format, which later versions have to read too. */
function toJson({ sessionUrl: address, method, id, name, startedAt: begun }: SavedSession): JsonObject {
  return { address, method, id, name, begun };
}

/** @returns nothing for a value that another version has stored */
function fromJson(value: unknown): SavedSession[] {
  if (!isObject(value)) return [];
  const { address, method, id, name, begun } = value;
  if (typeof address !== 'string' || (method !== 'POST' && method !== 'PATCH')) return [];
  if (!isOptionalString(id) || !isOptionalString(name) || typeof begun !== 'number') return [];
  return [{ sessionUrl: address, method, id, name, startedAt: begun }];
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
