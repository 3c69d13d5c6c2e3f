import { isFolder, isNative, SHORTCUT, type FileRecord } from '../metadata/file-record';

const DOCUMENT = ['application/pdf', 'text/plain', 'text/html', 'application/rtf', 'application/zip'];
const FORMATS: Record<string, string[]> = {
  'application/vnd.google-apps.document': DOCUMENT,
  'application/vnd.google-apps.spreadsheet': ['text/csv', 'application/pdf'],
  'application/vnd.google-apps.presentation': ['application/pdf', 'text/plain'],
};

/** Formats that a native document can be exported to, by its media type. */
export const EXPORT_FORMATS: Readonly<Record<string, string[]>> = FORMATS;

/** Where a native document's exports are; undefined for everything else. */
export function exportLinks(record: FileRecord, origin: string): Record<string, string> | undefined {
  const formats = formatsOf(record);
  if (!formats) return undefined;
  const base = `${origin}/drive/v3/files/${record.id}/export?mimeType=`;
  return Object.fromEntries(formats.map((format) => [format, base + encodeURIComponent(format)]));
}

/** The formats of a native document; undefined for files with content, folders and shortcuts. */
export function formatsOf(record: FileRecord): string[] | undefined {
  if (!isNative(record.mimeType) || isFolder(record) || record.mimeType === SHORTCUT) return undefined;
  return FORMATS[record.mimeType] ?? [];
}
