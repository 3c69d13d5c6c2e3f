/** What native documents can be exported to. https://developers.google.com/workspace/drive/api/guides/ref-export-formats */
import { isFolder, isWorkspaceType, SHORTCUT, type FileRecord } from '../storage/file-record';

const DOCUMENT = ['application/pdf', 'text/plain', 'text/html', 'application/rtf', 'application/zip'];
const FORMATS: Record<string, string[]> = {
  'application/vnd.google-apps.document': DOCUMENT,
  'application/vnd.google-apps.spreadsheet': ['text/csv', 'application/pdf'],
  'application/vnd.google-apps.presentation': ['application/pdf', 'text/plain'],
};

/** Formats that a native document can be exported to, by its media type. */
export const EXPORT_FORMATS: Readonly<Record<string, string[]>> = FORMATS;

/**
 * Where a native document's exports are; undefined for everything else.
 * @param base address to which the format is added
 */
export function exportLinks(
  record: FileRecord,
  base: (record: FileRecord) => string,
): Record<string, string> | undefined {
  const formats = exportFormatsOf(record);
  if (!formats) return undefined;
  const link = (format: string): string => `${base(record)}?mimeType=${encodeURIComponent(format)}`;
  return Object.fromEntries(formats.map((format) => [format, link(format)]));
}

/** The formats of a native document; undefined for files with content, folders and shortcuts. */
export function exportFormatsOf(record: FileRecord): string[] | undefined {
  if (!isWorkspaceType(record.mimeType) || isFolder(record) || record.mimeType === SHORTCUT) return undefined;
  return FORMATS[record.mimeType] ?? [];
}
