/** A file's content on disk: by way of a part file, proven, then renamed. */
import { extname } from 'node:path';
import { type ErrorCode, isDriveError } from '../errors';
import type { DriveContext } from '../api/drive-context';
import { abortable } from '../concurrency/abortable';
import type { CallOptions, DriveFile } from '../types';
import { fetchContent } from './fetch-content';
import { exportName } from './workspace-export';
import { PartFile } from './part-file';
import { type DownloadRequest, remoteFile } from './remote-file';
import { type Overwrite, findTarget, nameAt, commit, refuseExisting } from './target';

export interface ToDisk extends DownloadRequest {
  /** Absolute. Ends in a separator, or is an existing folder: the file's own name is put behind it, made safe. */
  path: string;
  overwrite: Overwrite;
}

/**
 * Goes on where an earlier run of the same download has ended, if the file is still the same.
 * @returns the metadata and the path that was written
 * @throws `local_file`, `conflict` (overwrite `error`), `not_downloadable`, `checksum_mismatch`, `not_found`, …
 */
export async function downloadToDisk(
  drive: DriveContext,
  request: ToDisk,
  call: CallOptions,
): Promise<{ file: DriveFile; path: string }> {
  const target = await findTarget(request.path);
  // What a native document is to become, the ending of its path says as well.
  const asked = { ...request, exportFormat: request.exportFormat || extname(target.name ?? '') };
  const remote = await remoteFile(drive, asked, call);
  const nameOf = (file: DriveFile): string => nameAt(target, ownName(file, remote.exportAs));
  const name = nameOf(remote.file);
  const isNamed = target.name !== undefined || remote.isKnown;
  if (isNamed) await refuseExisting(target, name, request.overwrite);
  const place = { folder: target.folder, name, target: request.path };
  const sink = await abortable(PartFile.at(place), call.signal);
  try {
    await sink.resume(remote, call.signal);
    const file = await fetchContent(drive, asked, { remote, sink }, call);
    const path = await commit(await sink.finish(call.signal), target, nameOf(file), request.overwrite);
    await sink.clearLeftovers();
    return { file, path };
  } catch (error) {
    if (mayPass(error)) await sink.keep();
    throw error;
  } finally {
    await sink.discard();
  }
}

function ownName({ name, id }: DriveFile, exportAs: string | undefined): string {
  return exportAs === undefined ? (name ?? id) : exportName(name ?? id, exportAs);
}

/** Errors that the same download would meet again, however much of it is there. A full disk needs the room. */
const FINAL: readonly ErrorCode[] = [
  'not_found',
  'not_downloadable',
  'checksum_mismatch',
  'conflict',
  'local_file',
];

function mayPass(error: unknown): boolean {
  return isDriveError(error) && !FINAL.includes(error.code);
}
