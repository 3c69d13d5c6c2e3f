/**
 * Plain requests for the files and folders of a repository, by their IDs on the drive. What their names stand for, and
 * when a list is late, is known in repository-folders.ts.
 */
import type { ByteSink } from '../core/buffers';
import { checksumAlgorithm, checksumOf } from '../drive/checksums';
import { createNewFolder } from '../drive/create-folder';
import { deletePermanently, trash } from '../drive/delete';
import { type DriveContext, isRefusedRequest, rootId } from '../drive/drive-context';
import { listChildren, listComplete, listPages } from '../drive/list';
import { getMetadata, getMetadataIfSupported, updateMetadata } from '../drive/metadata';
import { allOf, notTrashed } from '../drive/query';
import { DriveError, ifFound, isDriveError } from '../errors';
import type { HttpResponse } from '../http/client';
import { observedTransfer } from '../http/observer';
import { fetchRange } from '../transfer/download/fetch-range';
import { type UploadContext, uploadNow } from '../transfer/upload/upload';
import type { CallOptions, DriveFile } from '../types';
import { MAX_READ, isId } from './restic/json-file';
import type { ByteRange } from './restic/store';

export const FILE_TYPE = 'application/octet-stream';

export interface DriveBackendOptions {
  /** `''` for the root. */
  folderId: string;
  /** How files other than locks are removed. */
  mode: 'trash' | 'permanent';
  /** Called with the bytes handed to the socket since the last call. */
  onSent?: ((bytes: number) => void) | undefined;
}

interface NewFile {
  name: string;
  folderId: string;
  content: Buffer;
  isLock: boolean;
}

const capable = new WeakSet<DriveContext>();

/**
 * Asks a custom service, before anything is written.
 * @returns the context for a service that has what snapshots need
 * @throws `not_configured` naming what the service lacks
 */
export async function withCapabilities(
  context: UploadContext,
  folderId: string,
  call: CallOptions,
): Promise<UploadContext> {
  const { drive, idPool } = context;
  const { service } = drive;
  if (service.can.queries && service.can.generateIds) return context;
  const can = { ...service.can, metadata: true, queries: true, creationTimes: true, generateIds: true };
  const asked = { ...context, drive: { ...drive, service: { ...service, can } } };
  if (capable.has(drive)) return asked;
  const lacks = (capability: string): DriveError =>
    new DriveError('not_configured', { text: 'not_configured_snapshots', params: { capability } });
  const id = folderId || rootId(service);
  const count = async (from: DriveContext): Promise<number | undefined> => {
    const fields = `id,name${from.service.can.creationTimes ? ',createdTime,modifiedTime' : ''}`;
    return (await listChildren(from, [id], { fields, toItem: (file) => file }, call)).get(id)?.length;
  };
  const listed = await count(drive);
  if (!(await getMetadataIfSupported(drive, id, 'id', call))) throw lacks('files.get');
  const found = await count(asked.drive).catch((error: unknown) => {
    if (!isRefusedRequest(error)) throw error;
  });
  // A service may ignore what it doesn't know in a query, or find nothing.
  // Another machine may have created something meanwhile.
  const isSame = found === listed || (found !== undefined && found === (await count(drive)));
  if (!isSame) throw lacks('files.list: q');
  if ((await idPool.next(call)) === undefined) throw lacks('files.generateIds');
  capable.add(drive);
  return asked;
}

export class DriveBackend {
  readonly drive: DriveContext;
  readonly folderId: string;
  /** A list may still have them. */
  private readonly removed = new Set<string>();

  constructor(
    private readonly context: UploadContext,
    private readonly options: DriveBackendOptions,
    readonly call: CallOptions,
  ) {
    this.drive = context.drive;
    this.folderId = options.folderId || rootId(this.drive.service);
  }

  /** @returns what is in folders, by their IDs. @throws as {@link listChildren} */
  list(
    folderIds: readonly string[],
    { trashed = false, call = this.call }: { trashed?: boolean; call?: CallOptions } = {},
  ): Promise<Map<string, DriveFile[]>> {
    const { sharedDrives } = this.drive.service.can;
    const fields = `id,name,mimeType,size,createdTime,modifiedTime${sharedDrives ? ',ownedByMe' : ''}`;
    const toItem = (file: DriveFile): DriveFile | undefined => (this.removed.has(file.id) ? undefined : file);
    return listChildren(this.drive, folderIds, { fields, trashed, toItem }, call);
  }

  async inTrash(folderIds: readonly string[]): Promise<DriveFile[]> {
    return [...(await this.list(folderIds, { trashed: true })).values()].flat();
  }

  /** Everywhere on the drive. @throws `bad_response` if the list stays incomplete */
  search(term: string): Promise<DriveFile[]> {
    const request = { q: allOf([term, notTrashed]), fields: 'id,name,parents' };
    const pages = (budgeted: CallOptions) => listPages(this.drive, request, budgeted);
    return listComplete(this.drive, { pages, isMatch: ({ id }) => !this.removed.has(id) }, this.call);
  }

  /** @returns undefined if it is missing */
  stat(id: string, fields: string): Promise<DriveFile | undefined> {
    return ifFound(getMetadata(this.drive, id, fields, this.call));
  }

  async createFolder(name: string, folderId: string): Promise<string> {
    const request = { name, folderId, fields: 'id', isParentKnown: true };
    return (await createNewFolder(this.context, request, this.call)).id;
  }

  /** A lock must not wait behind large files. @param isLarge waits for other transfers */
  inTurn<T>(isLarge: boolean, work: () => Promise<T>): Promise<T> {
    return isLarge ? this.context.transfers.run(work, this.call.signal) : work();
  }

  /** @throws `conflict` if someone has removed it meanwhile; `bad_response` for a service without checksums */
  async save({ name, folderId, content: data, isLock }: NewFile): Promise<DriveFile> {
    // The config isn't named by its content.
    const sha256 = isId(name) ? name : undefined;
    let sent = 0;
    const onProgress = (position: number): void => {
      this.options.onSent?.(Math.max(0, position - sent));
      sent = Math.max(sent, position);
    };
    const request = {
      ...{ name, folderId, mimeType: FILE_TYPE, metadata: {}, content: { data, sha256 } },
      ...({ keepModifiedTime: false, ifExists: 'duplicate' } as const),
      fields: 'id,name,trashed,md5Checksum,sha256Checksum',
      onProgress,
    } as const;
    const { file } = await uploadNow(this.context, request, this.call);
    const algorithm = checksumAlgorithm(file);
    if (algorithm && checksumOf(file, algorithm) !== undefined) return file;
    const isThere = await getMetadata(this.drive, file.id, 'id', this.call).catch((error: unknown) => {
      if (!isDriveError(error, 'not_found') || error.status !== 404) return true;
    });
    if (isThere) throw new DriveError('bad_response', { text: 'bad_response_no_checksum', params: { name } });
    const text = isLock ? 'conflict_repository_lock_lost' : 'conflict_repository_trashed';
    throw new DriveError('conflict', { text });
  }

  /** @returns memory of its own */
  async load(id: string, range: ByteRange): Promise<Buffer> {
    const { engine } = this.drive;
    let content: Buffer | undefined;
    return observedTransfer(
      engine.observe,
      'download',
      () => content?.length,
      async () => (content = await engine.retry((call) => this.fetch(id, range, call), this.call)),
    );
  }

  private async fetch(id: string, { start, end }: ByteRange, call: CallOptions): Promise<Buffer> {
    const chunks: Buffer[] = [];
    /** For all of the bytes, if their number is known. */
    let memory = end < Infinity ? Buffer.allocUnsafeSlow(end - start) : undefined;
    let length = 0;
    const openSink = ({ body }: HttpResponse): ByteSink => ({
      write: (chunk) => {
        if (memory) chunk.copy(memory, length);
        else chunks.push(Buffer.from(chunk));
        length += chunk.length;
        if (length > MAX_READ) body.destroy();
        return true;
      },
      drained: () => Promise.resolve(),
      end: () => Promise.resolve(),
    });
    await fetchRange(this.drive, { id, start, end }, openSink, call);
    if (memory) return memory;
    memory = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    for (const chunk of chunks) filled += chunk.copy(memory, filled);
    return memory;
  }

  /** As the user has chosen, but a lock for good. */
  async remove(id: string, isLock: boolean, call: CallOptions): Promise<void> {
    const remove = this.options.mode === 'permanent' ? deletePermanently : trash;
    await ifFound(isLock ? this.removeForGood(id, call) : remove(this.drive, id, call));
    this.removed.add(id);
  }

  /** Contributors of a shared drive may only rename it, so that it belongs to no repository any more. */
  async discardFile(id: string, name: string): Promise<void> {
    try {
      await ifFound(this.removeForGood(id, this.call));
    } catch (error) {
      if (!isDriveError(error, 'permission_denied')) throw error;
      await this.rename(id, `unused-${name}`);
    }
    this.removed.add(id);
  }

  /** The other machine may have it in its lists, which a folder in the trash doesn't make fail. */
  async discardFolder(id: string): Promise<void> {
    try {
      await ifFound(trash(this.drive, id, this.call));
    } catch (error) {
      if (!isDriveError(error, 'permission_denied') && !isDriveError(error, 'bad_response')) throw error;
      await this.rename(id, 'unused');
    }
    this.removed.add(id);
  }

  private async rename(id: string, name: string): Promise<void> {
    await updateMetadata(this.drive, { id, changes: { name }, fields: 'id' }, this.call);
  }

  /** What nobody would want back from the trash. */
  private async removeForGood(id: string, call: CallOptions): Promise<void> {
    try {
      await deletePermanently(this.drive, id, call);
    } catch (error) {
      // Content managers of a shared drive may only move files to the trash.
      if (!isDriveError(error, 'permission_denied')) throw error;
      await trash(this.drive, id, call);
    }
  }
}
