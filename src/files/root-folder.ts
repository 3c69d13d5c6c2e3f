/**
 * The root folder's own id. A request names the root by an alias, but a file has the id among its `parents`.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get
 */
import { isDriveError } from '../errors';
import { abortable } from '../concurrency/abortable';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, rootId } from '../api/drive-context';
import { findByName } from './find-by-name';
import { getMetadataIfSupported } from '../api/metadata';

export class RootFolder {
  /** Of My Drive or of the client's own folder; a shared drive's root goes by the drive's id. */
  private readonly alias: string;
  private own: Promise<string | undefined> | undefined;

  constructor(private readonly drive: DriveContext) {
    this.alias = drive.service.space ?? 'root';
  }

  /** @returns whether an id names the root without being its own */
  isAlias(id: string): boolean {
    return id === this.alias && id === rootId(this.drive.service);
  }

  /**
   * Asked for once.
   * @returns undefined where the service doesn't say: a custom one, or for a scope that sees only this client's files
   */
  getId(signal: AbortSignal | undefined): Promise<string | undefined> {
    this.own ??= this.ask();
    return abortable(this.own, signal);
  }

  /**
   * As {@link id}; where the service doesn't say, it is found out by whether the file is in the root.
   * @param file with its name, its parents and whether it is in the trash
   */
  async inferId(
    { id, name = '', parents, trashed }: DriveFile,
    call: CallOptions,
  ): Promise<string | undefined> {
    const own = await this.getId(call.signal);
    const [parent] = parents ?? [];
    if (own !== undefined || parent === undefined) return own;
    const wanted = { names: [name], folderId: this.alias, kind: 'any', fields: 'id' } as const;
    const found = await findByName(this.drive, { ...wanted, trashed: trashed === true }, call);
    if (!found.some((each) => each.id === id)) return undefined;
    this.own = Promise.resolve(parent);
    return parent;
  }

  /** For all who wait: whoever leaves by a signal leaves it to the others. */
  private async ask(): Promise<string | undefined> {
    try {
      return (await getMetadataIfSupported(this.drive, this.alias, 'id', {}))?.id;
    } catch (error) {
      if (isDriveError(error, 'not_found')) return undefined;
      this.own = undefined;
      throw error;
    }
  }
}
