/**
 * The id of the root folder. Requests name the root by an alias, but `parents` of a file contains the id.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get
 */
import { isDriveError } from '../errors';
import { abortable } from '../core/abort';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, rootId } from './drive-context';
import { getMetadataIfSupported } from './metadata';
import { findByName } from './find-by-name';

export class RootFolder {
  /** Of My Drive or the app data folder. A shared drive has none: its root has the drive's id. */
  private readonly alias: string;
  private ownId: Promise<string | undefined> | undefined;

  constructor(private readonly drive: DriveContext) {
    this.alias = drive.service.space ?? 'root';
  }

  /** Another user may have signed in. */
  forget(): void {
    this.ownId = undefined;
  }

  isAlias(id: string): boolean {
    return id === this.alias && id === rootId(this.drive.service);
  }

  /** Whether it is the root, by its alias, its own id, or the id of the shared drive. */
  async isRoot(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { service } = this.drive;
    if (id === 'root' || id === rootId(service) || id === service.driveId) return true;
    return id === (await this.getId(signal));
  }

  /**
   * Requested once.
   * @returns undefined if a custom service doesn't return it, or the scope has no access to the root
   */
  getId(signal: AbortSignal | undefined): Promise<string | undefined> {
    this.ownId ??= this.fetchId();
    return abortable(this.ownId, signal);
  }

  /**
   * As {@link getId}; if the service doesn't return it, the parent of a file that is in the root.
   * @param file with `name`, `parents` and `trashed`
   */
  async inferId(
    { id, name = '', parents, trashed }: DriveFile,
    call: CallOptions,
  ): Promise<string | undefined> {
    const ownId = await this.getId(call.signal);
    const request = this.ownId;
    const [parent] = parents ?? [];
    if (ownId !== undefined || parent === undefined) return ownId;
    const query = { names: [name], folderId: this.alias, kind: 'any', fields: 'id' } as const;
    const inRoot = await findByName(this.drive, { ...query, trashed: trashed === true }, call);
    if (!inRoot.some((file) => file.id === id)) return undefined;
    // Another user may have signed in since.
    if (request && this.ownId === request) this.ownId = Promise.resolve(parent);
    return parent;
  }

  /** Without the signal of a caller, since others may wait for the same request. */
  private async fetchId(): Promise<string | undefined> {
    try {
      return (await getMetadataIfSupported(this.drive, this.alias, 'id', {}))?.id;
    } catch (error) {
      if (isDriveError(error, 'not_found')) return undefined;
      this.ownId = undefined;
      throw error;
    }
  }
}
