/** A file as the editor gets to see it. */
import type { DriveClient, DriveFile } from '../../../src/index';
import type { ListedFile } from '../../shared/contract/browse-api';

/** Fields of a file that it is made of. */
export const LISTED_FIELDS = 'id,name,mimeType,size,modifiedTime';

/** What has no id can't be chosen. */
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
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(modifiedTime === undefined ? {} : { modifiedTime }),
  };
}
