/** URLs of Google Drive and its editors, as users copy them from a browser. */

/** `/document/d/e/2PACX-…/pub` identifies a published copy by a token. The URL doesn't contain the file's id. */
const PUBLISHED = /\/d\/e(?:\/|$)/;
const DRIVE_HOST = /^https:\/\/(?:drive|docs)\.google\.com\//;
/** With or without `/u/N/` for the Nth signed-in user. */
const FILE_PATH = /\/(?:file|document|spreadsheets|presentation|drawings|forms)\/(?:u\/\d+\/)?d\/([\w-]+)/;
const FOLDER_PATH = /\/folders\/([\w-]+)/;
const ID_QUERY = /[?&]id=([\w-]+)/;

export type DriveUrl = { id: string } | { problem: 'published' | 'no_id' };

/** @returns undefined for a text that isn't a URL of Google Drive or its editors */
export function parseDriveUrl(text: string): DriveUrl | undefined {
  if (!DRIVE_HOST.test(text)) return undefined;
  const [path = ''] = text.split(/[?#]/);
  if (PUBLISHED.test(path)) return { problem: 'published' };
  const id = (FILE_PATH.exec(path) ?? FOLDER_PATH.exec(path) ?? ID_QUERY.exec(text))?.[1];
  return id === undefined ? { problem: 'no_id' } : { id };
}
