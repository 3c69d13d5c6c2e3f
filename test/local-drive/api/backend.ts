import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock';
import { fileNotFound } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import type { Algorithm } from '../storage/digester';
import type { ContentStore, IncomingContent } from '../storage/content-store';
import { hasDownloadableContent, type Content, type FileRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';
import type { SearchCache } from '../search/search-cache';
import { applyMask, parseMask, type Mask, type Schema } from './field-mask';

/** What the endpoints of the files interface share. */
export interface DriveBackend {
  readonly store: FileStore;
  readonly content: ContentStore;
  readonly searchCache: SearchCache;
  readonly clock: Clock;
  readonly nameMatch: 'substring' | 'word';
  readonly pageSize: number;
  /** Bytes of the account; undefined is unlimited. */
  readonly quota: number | undefined;
  /** Address of the files interface, path prefix included. */
  baseUrl(): string;
  /** Where alt=media is redirected to; undefined if the service answers it itself. */
  readonly redirectDownload?: (record: FileRecord) => string;
  /** Where a native document's exports are, but for their format; at a second origin they may be of any size. */
  readonly exportLink: (record: FileRecord) => string;
}

/** The `fields` of a request as a mask; without it the defaults of the endpoint. */
export function requestedMask(request: IncomingMessage, schema: Schema, fallback: string): Mask {
  return parseMask(queryOf(request).get('fields') || fallback, schema);
}

/** Masks a whole answer. */
export function applyRequestedMask(value: object, mask: Mask): object {
  return applyMask(value, mask) as object;
}

/** The file of an address, or 404. */
export function existingFile(drive: DriveBackend, id: string): FileRecord {
  const record = drive.store.get(id);
  if (!record) throw fileNotFound(id);
  return record;
}

/** Digests that are being taken of content that just came in. */
const pendingDigests = new WeakMap<Content, Promise<unknown>>();

/** Completes uploaded content and hands it to `save`, which puts it into a record. */
export async function storeContent(
  drive: DriveBackend,
  incoming: IncomingContent,
  save: (content: Content) => Promise<FileRecord>,
): Promise<FileRecord> {
  const { content, later } = await drive.content.complete(incoming);
  const record = await save(content);
  if (later) {
    const kept = later.then(async (digests) => {
      Object.assign(content, digests);
      await drive.store.persist(record);
    });
    pendingDigests.set(
      content,
      kept.catch(() => undefined),
    );
  }
  return record;
}

/** Sees to it that a record knows the digests an answer needs. */
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
