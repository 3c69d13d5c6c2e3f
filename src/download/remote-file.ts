/** The file that is to be fetched, as the service describes it before the first byte. */
import { DriveError } from '../errors';
import {
  type ChecksumAlgorithm,
  CHECKSUM_FIELDS,
  checksumAlgorithm,
  checksumOf,
  sizeOf,
} from '../api/checksums';
import { type DriveContext, isFolder } from '../api/drive-context';
import { withFields } from '../api/fields';
import { getMetadataIfSupported } from '../api/metadata';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { exportOf, isNative } from './workspace-export';

export interface DownloadRequest {
  id: string;
  /** Metadata fields of `file` in the result; it also has what the transfer itself needs. */
  fields: string;
  /** Sent only after the service has refused the file as abusive. */
  acknowledgeAbuse: boolean;
  /** What native documents are exported to: a media type, or the ending of a file's name; `''`: they are refused. */
  exportFormat?: string;
  onProgress?: OnProgress;
}

export interface RemoteFile {
  file: DriveFile;
  /** False where the service has no metadata request: `file` is only the id then. */
  isKnown: boolean;
  /** Bytes. */
  size: number | undefined;
  algorithm: ChecksumAlgorithm | undefined;
  /** Media type, where what comes is an export: nothing can be said of it beforehand. */
  exportAs?: string;
  /** Where a large export can be had. */
  exportLink?: string | undefined;
}

/**
 * @throws `not_downloadable` for what has no content: folders, and documents that can't be exported as wanted
 */
export async function remoteFile(
  drive: DriveContext,
  request: DownloadRequest,
  call: CallOptions,
): Promise<RemoteFile> {
  const fields = withFields(request.fields, ['name', 'mimeType', ...CHECKSUM_FIELDS]);
  const file = await getMetadataIfSupported(drive, request.id, fields, call);
  if (!file) {
    return { file: { id: request.id }, isKnown: false, size: undefined, algorithm: undefined };
  }
  if (isFolder(drive.service, file.mimeType)) {
    const params = { name: file.name ?? file.id };
    throw new DriveError('not_downloadable', { text: 'not_downloadable_folder', params });
  }
  if (isNative(file.mimeType)) {
    const wanted = request.exportFormat ?? '';
    const { mimeType: exportAs, link: exportLink } = await exportOf(drive, { file, wanted }, call);
    return { file, isKnown: true, size: undefined, algorithm: undefined, exportAs, exportLink };
  }
  return { file, isKnown: true, size: sizeOf(file), algorithm: checksumAlgorithm(file) };
}

/** @returns true where both are surely the same content */
export function isSameContent(a: RemoteFile, b: RemoteFile): boolean {
  if (a.size !== b.size || a.algorithm !== b.algorithm) return false;
  // Without a size a checksum says it alone; without both nobody can.
  if (a.algorithm === undefined) return a.size !== undefined;
  return checksumOf(a.file, a.algorithm) === checksumOf(b.file, a.algorithm);
}
