/**
 * Chooses between one request and a resumable session.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#choose
 */

/** `uploadType` of the Drive API. */
export type UploadType = 'multipart' | 'resumable';

/** Bytes. The API documents "5 MB or less", which could also mean MiB; the smaller value is safe. */
export const MULTIPART_LIMIT = 5_000_000;

/**
 * An empty content is always sent as multipart: it has no `Content-Range`, so it can't be sent in a resumable session.
 * @param length bytes of the content
 */
export function chooseUploadType(length: number): UploadType {
  return length <= MULTIPART_LIMIT ? 'multipart' : 'resumable';
}
