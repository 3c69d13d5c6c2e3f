/** Files in responses to the editor. */
import type { DriveClient, DriveFile } from '../../../src/index';
import type { ListedFile } from '../contract/dialog-api';

/** The fields to request for {@link listedFile}. */
export const LISTED_FIELDS = 'id,name,mimeType,size,modifiedTime';

/** Omits files without an id, which can't be selected. */
export function listedFiles(client: DriveClient, files: DriveFile[]): ListedFile[] {
  return files.filter(({ id }) => Boolean(id)).map((file) => listedFile(client, file));
}

export function listedFile(client: DriveClient, file: DriveFile): ListedFile {
  const { id, name = id, mimeType = '', size, modifiedTime } = file;
  return {
    id,
    name,
    mimeType,
    isFolder: client.isFolder(file),
    size: size === undefined ? undefined : Number(size),
    modifiedTime,
  };
}
