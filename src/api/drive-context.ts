/** What every capability works with: the engine, the service it talks to, and what transfers have to share. */
import { DriveError, isDriveError } from '../errors';
import type { QueryValues } from '../http/url';
import type { BandwidthLimiter } from '../concurrency/bandwidth-limiter';
import type { RequestEngine } from '../http/engine';
import type { Clock, Service } from '../types';

export interface DriveContext {
  engine: RequestEngine;
  service: Service;
  /** Of all transfers together: a transfer takes before it moves bytes. */
  bandwidth: BandwidthLimiter;
  clock: Clock;
}

/** What a folder's media type looks like where the account doesn't name it. */
const ANY_FOLDER = /^application\/vnd\.[^/]+-apps\.folder$/;

export function isFolder(service: Service, mimeType: string | undefined): boolean {
  if (mimeType === undefined) return false;
  return service.folderMimeType ? mimeType === service.folderMimeType : ANY_FOLDER.test(mimeType);
}

/** @throws `not_configured` where the account doesn't say what a folder is */
export function folderMimeType(service: Service): string {
  if (service.folderMimeType) return service.folderMimeType;
  throw new DriveError('not_configured', { text: 'not_configured_folder_type' });
}

/** Shared drives answer only to those who say that they know them. */
export function sharedDriveParams(service: Service): QueryValues {
  return service.kind === 'google' ? { supportsAllDrives: true } : {};
}

/** Where the files of the account begin: the client's own folder, the shared drive, or the alias of My Drive's root. */
export function rootId({ space, driveId }: Service): string {
  return space ?? (driveId || 'root');
}

/** The folder to name for something new: none for My Drive's root. @param folderId `''`: the root */
export function parentsFor(service: Service, folderId: string): { parents?: string[] } {
  const parent = folderId || service.space || service.driveId;
  return parent ? { parents: [parent] } : {};
}

export function fileUrl(service: Service, id: string): string {
  return `${service.baseUrl}/drive/v3/files/${encodeURIComponent(id)}`;
}

/**
 * Whether a service says that it doesn't know a request that it need not: docs/signing-in.md. A token endpoint's refusals have
 * such statuses, too, and say nothing of the request.
 */
export function isUnsupportedRequest(error: unknown): error is DriveError {
  if (!isDriveError(error) || error.status === undefined) return false;
  const isOfSignIn = error.code === 'sign_in_required' || error.code === 'not_configured';
  if (isOfSignIn || error.params['address'] === 'tokenUrl') return false;
  return [400, 404, 405, 501].includes(error.status);
}
