import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock';
import { fileNotFound } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import type { Algorithm } from '../storage/digester';
import type { ContentStore, IncomingContent } from '../storage/content-store';
import { hasDownloadableContent, type Content, type FileRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';
import type { SearchCache } from '../search/search-cache';
import type { USER } from './user';
import { applyMask, parseMask, type Mask, type Schema } from './field-mask';

/** A notification email that a permission caused. */
export interface SentEmail {
  to: string;
  fileId: string;
  message?: string;
}

export interface SharingRules {
  /** Addresses without a Google account, which can't be added without a notification. */
  addressesWithoutAccount: readonly string[];
  /** Whether a new permission may have an expiration time, or only an existing one. */
  expirationOnInsert: boolean;
}

/** The stores and settings behind the Drive API. */
export interface DriveBackend {
  readonly store: FileStore;
  readonly content: ContentStore;
  readonly searchCache: SearchCache;
  readonly clock: Clock;
  readonly nameMatch: 'substring' | 'word';
  readonly pageSize: number;
  /** Storage limit in bytes; undefined is unlimited. */
  readonly quota: number | undefined;
  /** Notification emails of permissions. */
  readonly sentEmails: SentEmail[];
  /** What Google refuses when a permission is created. */
  readonly sharing: SharingRules;
  /** Whether files outside shared drives can have content. Service accounts have no storage. */
  readonly hasStorage: boolean;
  readonly user: typeof USER;
  /** Base URL of the API, path prefix included. */
  baseUrl(): string;
  /** The URL to which alt=media is redirected; undefined if it isn't. */
  readonly redirectDownload?: (record: FileRecord) => string;
  /** Export URL of a Workspace document, without the `mimeType` parameter. The second origin has no size limit. */
  readonly exportLink: (record: FileRecord) => string;
}

/** The `fields` parameter of a request as a mask. */
export function requestedMask(request: IncomingMessage, schema: Schema, fallback: string): Mask {
  return parseMask(queryOf(request).get('fields') || fallback, schema);
}

/** Applies a mask to a whole response. */
export function applyRequestedMask(value: object, mask: Mask): object {
  return applyMask(value, mask) as object;
}

/** The file with this id, or 404. */
export function existingFile(drive: DriveBackend, id: string): FileRecord {
  const record = drive.store.get(id);
  if (!record) throw fileNotFound(id);
  return record;
}

/** Digests of uploaded content that are still being computed. */
const pendingDigests = new WeakMap<Content, Promise<unknown>>();

/** Completes uploaded content and passes it to `save`, which stores a record with it. */
export async function storeContent(
  drive: DriveBackend,
  incoming: IncomingContent,
  save: (content: Content) => Promise<FileRecord>,
): Promise<FileRecord> {
  const { content, later } = await drive.content.complete(incoming);
  const record = await save(content);
  if (later) {
    const saved = later.then(async (digests) => {
      Object.assign(content, digests);
      await drive.store.persist(record);
    });
    pendingDigests.set(
      content,
      saved.catch(() => undefined),
    );
  }
  return record;
}

/** Computes the digests that a response needs, unless the record has them. */
export async function ensureDigests(
  drive: DriveBackend,
  record: FileRecord,
  algorithms: Algorithm[],
): Promise<void> {
  if (algorithms.length === 0 || !hasDownloadableContent(record)) return;
  const { content } = record;
  if (algorithms.every((each) => content[each] !== undefined)) return;
  await pendingDigests.get(content);
  if (await drive.content.addDigests(content, algorithms)) await drive.store.persist(record);
}
