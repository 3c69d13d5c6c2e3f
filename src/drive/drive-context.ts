/** What all operations share. */
import { DriveError, isDriveError } from '../errors';
import type { Capabilities } from '../capabilities';
import { type QueryValues, pathSegment } from '../http/url';
import { waitAtMost } from '../core/abort';
import { BoundedMap } from '../core/bounded-map';
import type { BandwidthLimiter } from '../core/bandwidth-limiter';
import type { DriveRequest, RequestEngine } from '../http/engine';
import type { JsonObject } from '../core/validator';
import { jsonBody } from '../http/json';
import type { Clock, DriveFile, Service } from '../types';

export interface DriveContext {
  engine: RequestEngine;
  service: Service;
  /** Shared by all transfers. */
  bandwidth: BandwidthLimiter;
  clock: Clock;
  /** See {@link markOutside}. */
  readonly outsideFolders: Set<string>;
  /** Target ids by id, `''` if the id is no shortcut's. They never change. */
  readonly shortcutTargets: BoundedMap<string, string>;
  /** See create-folder.ts. */
  knownFolders: BoundedMap<string, DriveFile>;
  /** Ids by name of the folders of snapshot repositories, by the id of the repository: see backup/repository-folders. */
  readonly repositoryFolders: BoundedMap<string, Map<string, string[]>>;
  /** What this process has created in repositories and no list has shown yet, by the id of the repository and its own. */
  readonly freshFiles: BoundedMap<string, Map<string, FreshFile>>;
  /** The end of each run that uses a repository, which may have to remove its lock, by what cancels it. */
  readonly repositoryRuns: Map<AbortController, Promise<void>>;
  /** What a custom service has refused in its latest attempt. */
  readonly refused: Set<'optionalFields' | 'modifiedTime'>;
  /** Document types by the MIME type of a file, requested once. */
  importFormats?: Promise<JsonObject> | undefined;
}

export interface FreshFile {
  file: DriveFile;
  /** Name of the folder in the repository. */
  folder: string;
}

const MAX_SHORTCUT_TARGETS = 10_000;
const MAX_KNOWN_FOLDERS = 1_000;
const MAX_REPOSITORIES = 100;
/** ms; a deploy waits for it, of which Node-RED waits 15 seconds. */
const CLOSE_TIMEOUT = 5_000;

export function createDriveContext(
  shared: Pick<DriveContext, 'engine' | 'service' | 'bandwidth' | 'clock'>,
): DriveContext {
  return {
    outsideFolders: new Set(),
    shortcutTargets: new BoundedMap(MAX_SHORTCUT_TARGETS),
    knownFolders: noKnownFolders(),
    repositoryFolders: new BoundedMap(MAX_REPOSITORIES),
    freshFiles: new BoundedMap(MAX_REPOSITORIES),
    repositoryRuns: new Map(),
    refused: new Set(),
    ...shared,
  };
}

/** Cancels all runs that use a repository. Resolves when they have removed their locks, or after some time. */
export async function closeRepositories({ repositoryRuns: runs, clock }: DriveContext): Promise<void> {
  for (const aborter of runs.keys()) aborter.abort();
  if (runs.size > 0) await waitAtMost(CLOSE_TIMEOUT, Promise.all(runs.values()), clock);
}

export function noKnownFolders(): DriveContext['knownFolders'] {
  return new BoundedMap(MAX_KNOWN_FOLDERS);
}

/** Google returns items of shared drives only to requests with this parameter. */
export function sharedDriveParams(service: Service): QueryValues {
  return service.can.sharedDrives ? { supportsAllDrives: true } : {};
}

/** @returns the app data folder's alias, the shared drive's id, or the alias `root` of My Drive */
export function rootId({ space, driveId }: Service): string {
  return space ?? (driveId || 'root');
}

/** The `parents` of a new file; absent in the root of My Drive. @param folderId `''` for the root */
export function parentsFor(service: Service, folderId: string): { parents?: string[] } {
  const parent = folderId || service.space || service.driveId;
  return parent ? { parents: [parent] } : {};
}

export function filesUrl(service: Service): string {
  return `${service.baseUrl}/drive/v3/files`;
}

export function fileUrl(service: Service, id: string): string {
  return `${filesUrl(service)}/${pathSegment(id)}`;
}

/** Changes the metadata of a file. @param fields of the response */
export function patchRequest(service: Service, id: string, changes: object, fields: string): DriveRequest {
  const query = { fields, ...sharedDriveParams(service) };
  return { method: 'PATCH', url: fileUrl(service, id), query, ...jsonBody(changes) };
}

/** @param setting that needs the capability. @throws `invalid_input` */
export function requireCapability({ can }: Service, capability: keyof Capabilities, setting: string): void {
  if (can[capability]) return;
  throw new DriveError('invalid_input', { text: 'invalid_input_google_only', params: { setting } });
}

/** Whether the error means that the service lacks the request, which it doesn't need to support. */
export function isUnsupported(
  { can }: Service,
  capability: keyof Capabilities,
  error: unknown,
): error is DriveError {
  return !can[capability] && isRefusedRequest(error);
}

/** @returns undefined if the service lacks the request of the work */
export async function ifSupported<T>(
  service: Service,
  capability: keyof Capabilities,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isUnsupported(service, capability, error)) return undefined;
    throw error;
  }
}

/** Whether a service without the request may have answered so. The same statuses from a token endpoint don't count. */
export function isRefusedRequest(error: unknown): error is DriveError {
  if (!isDriveError(error) || error.status === undefined) return false;
  if (error.code === 'sign_in_required' || error.code === 'not_configured') return false;
  return error.params['address'] !== 'tokenUrl' && [400, 404, 405, 501].includes(error.status);
}

/** Limits the memory: about 10 MB. */
const MAX_FOLDERS = 100_000;

/**
 * For folders that a shortcut leads to, and those in them: they may be outside the account's shared drive, whose lists
 * don't contain their files.
 */
export function markOutside({ service, outsideFolders }: DriveContext, folderId: string): void {
  if (service.driveId !== '' && outsideFolders.size < MAX_FOLDERS) outsideFolders.add(folderId);
}

/**
 * With too many folders, every folder counts as outside: a list of all drives takes longer, but in a list of the shared
 * drive an outside folder would look empty, and its copies on disk could be removed.
 */
export function isOutside({ outsideFolders }: DriveContext, folderId: string | undefined): boolean {
  if (folderId === undefined) return false;
  return outsideFolders.size >= MAX_FOLDERS || outsideFolders.has(folderId);
}
