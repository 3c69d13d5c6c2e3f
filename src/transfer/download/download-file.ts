/** The file to download, as the service describes it before the first byte. Its content: fetch-content.ts. */
import { DriveError } from '../../errors';
import {
  type ChecksumAlgorithm,
  CHECKSUM_FIELDS,
  checksumAlgorithm,
  sizeOf,
  checksumOf,
} from '../../drive/checksums';
import type { DriveContext } from '../../drive/drive-context';
import { itemKind } from '../../drive/mime-types';
import { withFields } from '../../drive/fields';
import { getMetadataIfSupported } from '../../drive/metadata';
import type { CallOptions, DriveFile, OnProgress } from '../../types';
import { followShortcut, shortcutFields } from '../../drive/shortcuts';
import { chooseExport } from './workspace-export';
import { createHash } from 'node:crypto';

export interface DownloadRequest {
  id: string;
  /** Metadata fields of the returned file; the fields that the transfer needs are added. */
  fields: string;
  /** Also download a file that the service has flagged as malware. Only sent after the service has refused it. */
  acknowledgeAbuse: boolean;
  /** Format to export Workspace documents to: a MIME type or a file extension; `''` rejects them. */
  exportFormat?: string;
  onProgress?: OnProgress;
}

export interface DownloadFile {
  file: DriveFile;
  /** Set if the requested file is a shortcut. */
  targetId?: string;
  /** False for a service without metadata requests: `file` has only the id then. */
  hasMetadata: boolean;
  /** Bytes. */
  size: number | undefined;
  algorithm: ChecksumAlgorithm | undefined;
  /** MIME type if the content is an export: its size and checksum are unknown. */
  exportMimeType?: string;
  /** URL of an export that is too large for the export request. */
  exportLink?: string | undefined;
}

/** @throws `not_downloadable` for folders, and for documents that have no export in the requested format */
export async function getDownloadFile(
  drive: DriveContext,
  request: DownloadRequest,
  call: CallOptions,
): Promise<DownloadFile> {
  const { service } = drive;
  const required = ['name', 'mimeType', ...CHECKSUM_FIELDS, ...shortcutFields(service)];
  const fields = withFields(request.fields, required);
  const found = await getMetadataIfSupported(drive, request.id, fields, call);
  if (!found) {
    return { file: { id: request.id }, hasMetadata: false, size: undefined, algorithm: undefined };
  }
  const file = await followShortcut(drive, found, fields, call);
  const target = file === found ? {} : { targetId: file.id };
  const kind = itemKind(service, file.mimeType);
  if (kind === 'folder') {
    const params = { name: file.name ?? file.id };
    throw new DriveError('not_downloadable', { text: 'not_downloadable_folder', params });
  }
  const format =
    kind === 'file' ? undefined : await chooseExport(drive, file, request.exportFormat ?? '', call);
  if (format) {
    return {
      ...target,
      file,
      hasMetadata: true,
      size: undefined,
      algorithm: undefined,
      exportMimeType: format.mimeType,
      exportLink: format.link,
    };
  }
  const size = sizeOf(file);
  return { ...target, file, hasMetadata: true, size, algorithm: checksumAlgorithm(file) };
}

/**
 * Identifies the content of a part file for a later run.
 * @param name of the target file
 * @returns a key that is the same only for the same content of the same file and the same target name; undefined if the
 *   metadata can't identify the content
 */
export function partKey(name: string, { file, size, algorithm }: DownloadFile): string | undefined {
  if (size === undefined || algorithm === undefined) return undefined;
  const content = [name, file.id, size, algorithm, checksumOf(file, algorithm)];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

/**
 * @returns whether the content is the same according to its size and checksum; without a checksum, its size and time
 */
export function isSameContent(a: DownloadFile, b: DownloadFile): boolean {
  if (a.size !== b.size || a.algorithm !== b.algorithm) return false;
  if (a.algorithm === undefined) return a.size !== undefined && !haveDifferentTimes(a.file, b.file);
  return checksumOf(a.file, a.algorithm) === checksumOf(b.file, a.algorithm);
}

/** @returns false if one of the times is unknown */
function haveDifferentTimes(a: DriveFile, b: DriveFile): boolean {
  return Math.abs(Date.parse(a.modifiedTime ?? '') - Date.parse(b.modifiedTime ?? '')) > 0;
}
