/** A file's content on disk: by way of a part file, proven, then renamed. */
import type { Drive } from '../files/drive';
import type { CallOptions, DriveFile } from '../types';
import { fetchContent } from './fetch-content';
import { PartFile } from './part-file';
import { type DownloadRequest, remoteFile } from './remote-file';
import { type Overwrite, findTarget, nameAt, publish, refuseExisting } from './target';

export interface ToDisk extends DownloadRequest {
  /** Absolute. Ends in a separator, or is an existing folder: the file's own name is put behind it, made safe. */
  path: string;
  overwrite: Overwrite;
}

/**
 * @returns the metadata and the path that was written
 * @throws `local_file`, `conflict` (overwrite `error`), `not_downloadable`, `checksum_mismatch`, `not_found`, …
 */
export async function downloadToDisk(
  drive: Drive,
  request: ToDisk,
  call: CallOptions,
): Promise<{ file: DriveFile; path: string }> {
  const target = await findTarget(request.path);
  const remote = await remoteFile(drive, request, call);
  const isNamed = target.name !== undefined || remote.isKnown;
  if (request.overwrite === 'error' && isNamed) await refuseExisting(target, remote.file);
  const sink = await PartFile.create(target.folder, nameAt(target, remote.file), request.path);
  try {
    const file = await fetchContent(drive, request, { remote, sink }, call);
    await sink.finish();
    return { file, path: await publish(sink.path, target, file, request.overwrite) };
  } finally {
    await sink.discard();
  }
}
