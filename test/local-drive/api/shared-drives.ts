import type { IncomingMessage } from 'node:http';
import { ApiError, driveNotFound, fileNotFound } from '../http/api-error';
import { booleanParameter, queryOf } from '../http/query-parameters';
import { ROLES, isFolder, type FileRecord, type Role } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';

/**
 * Shared drives: their files are there only for those who say that they know them, and what a person may do follows
 * from a role in the drive. Reasons begin with the drives' old name, as at the real service.
 * https://developers.google.com/workspace/drive/api/guides/enable-shareddrives
 */

/** What a list or a feed of changes is about: one drive, everything, or My Drive alone. */
export type Corpus = { driveId: string } | 'all' | 'mine';

/** Whether the client says that it knows shared drives. */
export function supportsAllDrives(query: URLSearchParams): boolean {
  return booleanParameter(query, 'supportsAllDrives') || booleanParameter(query, 'supportsTeamDrives');
}

/** 404 for a file that is only there for who knows shared drives; one that isn't there is found out later. */
export function checkSupportsAllDrives(
  store: FileStore,
  query: URLSearchParams,
  ids: readonly string[] = [],
): void {
  if (supportsAllDrives(query)) return;
  for (const id of ids) {
    const record = store.get(id);
    if (record && store.driveIdOf(record) !== undefined) throw fileNotFound(id);
  }
}

/** The corpus that a request asks for. */
export function corpusOf(store: FileStore, request: IncomingMessage): Corpus {
  const query = queryOf(request);
  const driveId = query.get('driveId');
  const includes =
    booleanParameter(query, 'includeItemsFromAllDrives') || booleanParameter(query, 'includeTeamDriveItems');
  const isKnown = supportsAllDrives(query);
  if (driveId !== null && !store.isSharedDrive(driveId)) throw driveNotFound(driveId);
  if ((driveId !== null || query.get('corpora') === 'allDrives') && !includes) {
    const message =
      'The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains drive or allDrives.';
    throw new ApiError(403, 'includeTeamDriveItemsRequired', message);
  }
  if (includes && !isKnown) {
    const message = 'The supportsAllDrives parameter must be set to true to include items of shared drives.';
    throw new ApiError(403, 'teamDrivesNotSupported', message);
  }
  if (driveId !== null) return { driveId };
  return includes ? 'all' : 'mine';
}

export function isInCorpus(corpus: Corpus, driveId: string | undefined): boolean {
  if (corpus === 'all') return true;
  return driveId === (corpus === 'mine' ? undefined : corpus.driveId);
}

/** 403 unless the person's role in the file's drive is at least this one. My Drive is the person's own. */
export function checkRole(store: FileStore, record: FileRecord, needed: Role): void {
  if (hasRole(store, record, needed)) return;
  const message = 'The user does not have sufficient permissions for this file.';
  throw new ApiError(403, 'insufficientFilePermissions', message);
}

export function hasRole(store: FileStore, record: FileRecord, needed: Role): boolean {
  const driveId = store.driveIdOf(record);
  const role = driveId === undefined ? 'organizer' : (store.get(driveId)?.sharedDrive ?? 'reader');
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/**
 * What a move from one folder to another needs: to move within a drive, or out of it; and a folder stays where it is.
 * https://support.google.com/a/answer/7374057
 */
export function checkMove(store: FileStore, record: FileRecord, to: FileRecord | undefined): void {
  const driveId = store.driveIdOf(record);
  if (!to) {
    if (driveId === undefined) return;
    throw new ApiError(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
  }
  if (to.id === record.parent) return;
  const target = store.driveIdOf(to);
  checkRole(store, to, 'writer');
  if (target === driveId) return checkRole(store, record, 'fileOrganizer');
  checkRole(store, record, 'organizer');
  if (!isFolder(record)) return;
  const message = 'Moving folders into shared drives is not supported.';
  throw new ApiError(403, 'teamDrivesFolderMoveInNotSupported', message);
}

/** A shared drive itself. https://developers.google.com/workspace/drive/api/reference/rest/v3/drives#Drive */
export function driveResource({ id, name, createdTime }: FileRecord): object {
  const created = new Date(createdTime).toISOString();
  return { kind: 'drive#drive', id, name, colorRgb: '#4986e7', createdTime: created, hidden: false };
}
