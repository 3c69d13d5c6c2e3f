/** The public API of the Drive client: everything that the nodes may import. Independent of Node-RED. */

// Client
export { CAPABILITIES, type Capabilities } from './capabilities';
export { DriveClient, type DriveClientOptions } from './drive-client';
export {
  DriveError,
  type ErrorCode,
  type ErrorParam,
  type ErrorParams,
  GOOGLE_DRIVE,
  type ParamsArgument,
  Size,
  type TextKey,
  LocalTime,
  cancelled,
  errorCode,
  isDriveError,
  uncheckedError,
  withService,
} from './errors';
export { isInside } from './fs/pinned-folder';
export { localFileError } from './fs/local-file-error';
export type { CallOptions, Clock, DriveFile, OAuthClient, OnProgress, Service, Tokens } from './types';

// HTTP and concurrency
export { HttpClient } from './http/client';
export type { Observe, ObservedEvent } from './http/observer';
export { looksLikeSecret } from './http/error-mapping';
export { secureUrl, withoutTrailingSlash } from './http/url';
export { abortable } from './core/abort';
export { onAbort } from './core/abort';
export { BoundedMap } from './core/bounded-map';
export { Semaphore } from './core/semaphore';
export { systemClock, unrefClock } from './core/clock';

// Checks
export {
  type JsonObject,
  type TypeGuard,
  Validator,
  isAnyOf,
  isArrayOf,
  isBoolean,
  isNonEmptyString,
  isNumber,
  isObject,
  isObjectOf,
  isOneOf,
  isOptional,
  isString,
  isText,
} from './core/validator';

// Sign-in
export {
  type AuthorizationRequest,
  checkRedirectUri,
  countChosenFiles,
  exchangeCode,
  readAuthorizationResponse,
  startBrowserFlow,
} from './auth/browser-flow';
export { type DeviceAuthorization, pollForTokens, startDeviceFlow } from './auth/device-flow';
export { isAppDataOnly, isProjectFilesOnly, missingScopes } from './auth/scopes';
export {
  type ServiceAccount,
  type ServiceAccountKey,
  parseServiceAccountKey,
  requestServiceAccountToken,
} from './auth/service-account';
export { type OAuthContext, revokeToken } from './auth/token-endpoint';
export { TokenSource, type TokenStore } from './auth/token-source';

// Requests
export { requireCapability } from './drive/drive-context';
export type { SharedDrive } from './drive/about';
export type { RawRequest, RawResponse } from './drive/raw-request';

// Search
export type { SearchRequest } from './drive/search';

// Files and folders
export type { ConflictPolicy } from './drive/conflict-policy';
export type { CreateFolderRequest, CreateFolderResult } from './drive/create-folder';
export type { MoveRequest } from './drive/move-or-copy';
export type { ShareResult } from './drive/share';
export type { Grantee } from './drive/grant-permission';
export type { CopyRequest, MoveResult } from './drive/move-or-copy';

// Upload
export { SESSION_LIFETIME, type SessionStore } from './transfer/upload/session-registry';
export { type Content, checkSource } from './transfer/upload/source';
export type { UploadResult } from './transfer/upload/upload';
export { CONVERSIONS, type UploadRequest } from './transfer/upload/upload-request';

// Archives
export { generateAgeKeys } from './backup/archive/age';
export {
  type BackupEntry,
  type BackupProgress,
  type BackupRequest,
  type BackupResult,
  checkBackup,
  listBackupEntries,
} from './backup/backup';
export type { ListedEntry } from './backup/entries/entry';
export type { CheckRequest, CheckResult } from './backup/check';
export type { ListedArchive } from './backup/list-archive';
export { type RestoreRequest, type RestoreResult, checkRestore } from './backup/restore';
export { flushToDisk } from './fs/durable';
export { type FinishedSwap, type SwapContext, finishSwaps } from './backup/restore/interrupted-swaps';
export type { SwapRecords } from './backup/restore/swap-journal';
export { isBackup } from './backup/own-archives';
export { type ArchiveChoice, type FoundArchives, parseUntil } from './backup/select-archive';
export { type ArchiveFile } from './backup/archive-file';

// Snapshots
export { checkSnapshotBackup } from './backup/backup-snapshot';
export type {
  ListedSnapshot,
  LockHolder,
  PrunedSnapshots,
  SnapshotBackupRequest,
  SnapshotBackupResult,
  SnapshotCheckRequest,
  SnapshotCheckResult,
  SnapshotChoice,
  SnapshotInfo,
  SnapshotListRequest,
  SnapshotProgress,
  SnapshotQuery,
  SnapshotRestoreRequest,
  SnapshotRestoreResult,
} from './backup/restic/snapshot-request';

// Paths
export { type FolderPathRequest, checkLevels, splitPath } from './drive/resolver';

// Synchronization
export {
  type SyncAction,
  type SyncChange,
  type SyncProgress,
  type SyncRequest,
  type SyncResult,
  type SyncSummary,
  checkSync,
} from './sync/sync-request';

// Watch
export { CHANGE_EVENTS, type ChangeEvent } from './watch/change-events';
export type { Watch } from './watch/watch';

// Retention
export { removeExpired } from './backup/retention/remove-expired';
export { Calendar } from './backup/retention/calendar';
export { checkClock } from './backup/retention/wrong-clock';
export { isIncompleteArchive } from './backup/retention/incomplete-archive';
export {
  type DateFrom,
  type RetentionResult,
  type RetentionRules,
  applyRetention,
  hasRule,
} from './backup/retention/retention';
