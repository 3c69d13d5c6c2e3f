/** Conversion of uploads to documents. https://developers.google.com/workspace/drive/api/guides/manage-uploads#import-docs */
import { badRequest } from '../http/api-error';
import { FOLDER, isWorkspaceType, SHORTCUT } from '../storage/file-record';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

const SOURCES = {
  document: [
    `${OFFICE}.wordprocessingml.document`,
    'application/msword',
    `${OPEN_DOCUMENT}.text`,
    'application/rtf',
    'text/html',
    'text/markdown',
    'text/plain',
    'application/pdf',
    'image/jpeg',
    'image/png',
  ],
  spreadsheet: [
    `${OFFICE}.spreadsheetml.sheet`,
    'application/vnd.ms-excel',
    `${OPEN_DOCUMENT}.spreadsheet`,
    'text/csv',
    'text/tab-separated-values',
  ],
  presentation: [
    `${OFFICE}.presentationml.presentation`,
    'application/vnd.ms-powerpoint',
    `${OPEN_DOCUMENT}.presentation`,
  ],
};

/** The documents that a MIME type can be converted to, as in about.get. */
export const IMPORT_FORMATS: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.entries(SOURCES).flatMap(([kind, sources]) =>
    sources.map((source) => [source, [`application/vnd.google-apps.${kind}`]]),
  ),
);

export const MAX_IMPORT_SIZES = {
  'application/vnd.google-apps.document': '52428800',
  'application/vnd.google-apps.spreadsheet': '104857600',
  'application/vnd.google-apps.presentation': '104857600',
};

/** 400 for a conversion that importFormats doesn't have. */
export function checkConversion(source: string | undefined, target: string): void {
  if (source === undefined || !isWorkspaceType(target) || target === FOLDER || target === SHORTCUT) return;
  const [type = ''] = source.split(';');
  if (IMPORT_FORMATS[type.trim().toLowerCase()]?.includes(target)) return;
  throw badRequest('The requested conversion is not supported.');
}
