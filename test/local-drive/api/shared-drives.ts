import type { IncomingMessage } from 'node:http';
import { ApiError, driveNotFound, fileNotFound } from '../http/api-error';
import { booleanParameter, queryOf } from '../http/query-parameters';
import { ROLES, isFolder, type FileRecord, type Role } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';

/**
 * Shared drives. Their files are visible only to requests with `supportsAllDrives`, and the user's role in the drive
 * determines what is allowed. As in Google Drive, error reasons use the old name "team drives".
 * https://developers.google.com/workspace/drive/api/guides/enable-shareddrives
 */

/** The files that a list or changes feed covers: one shared drive, all drives, or My Drive only. */
export type Corpus = { driveId: string } | 'allDrives' | 'myDrive';

/** Whether the request supports shared drives. */
export function supportsAllDrives(query: URLSearchParams): boolean {
  return booleanParameter(query, 'supportsAllDrives') || booleanParameter(query, 'supportsTeamDrives');
}

/** 404 for files in shared drives if the request doesn't support them. Unknown ids are checked later. */
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

/** The corpus that a request selects. */
export function corpusOf(store: FileStore, request: IncomingMessage): Corpus {
  const query = queryOf(request);
  const driveId = query.get('driveId');
  const includes =
    booleanParameter(query, 'includeItemsFromAllDrives') || booleanParameter(query, 'includeTeamDriveItems');
  const isSupported = supportsAllDrives(query);
  if (driveId !== null && !store.isSharedDrive(driveId)) throw driveNotFound(driveId);
  if ((driveId !== null || query.get('corpora') === 'allDrives') && !includes) {
    const message =
      'The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains drive or allDrives.';
    throw new ApiError(403, 'includeTeamDriveItemsRequired', message);
  }
  if (includes && !isSupported) {
    const message = 'The supportsAllDrives parameter must be set to true to include items of shared drives.';
    throw new ApiError(403, 'teamDrivesNotSupported', message);
  }
  if (driveId !== null) return { driveId };
  return includes ? 'allDrives' : 'myDrive';
}

export function isInCorpus(corpus: Corpus, driveId: string | undefined): boolean {
  if (corpus === 'allDrives') return true;
  return driveId === (corpus === 'myDrive' ? undefined : corpus.driveId);
}

/** 403 unless the user has at least this role in the file's drive. Users own My Drive. */
export function checkRole(store: FileStore, record: FileRecord, needed: Role): void {
  if (hasRole(store, record, needed)) return;
  const message = 'The user does not have sufficient permissions for this file.';
  throw new ApiError(403, 'insufficientFilePermissions', message);
}

export function hasRole(store: FileStore, record: FileRecord, needed: Role): boolean {
  return ROLES.indexOf(store.roleOf(record)) >= ROLES.indexOf(needed);
}

/**
 * Checks a move. Moving within a shared drive and out of it needs different roles; folders can't change drives.
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

/** The Drive resource. https://developers.google.com/workspace/drive/api/reference/rest/v3/drives#Drive */
export function driveResource({ id, name, createdTime }: FileRecord): object {
  const created = new Date(createdTime).toISOString();
  return { kind: 'drive#drive', id, name, colorRgb: '#4986e7', createdTime: created, hidden: false };
}
