/** The archives in a folder that a template produces for a source. */
import type { DriveContext } from '../drive/drive-context';
import { withFields } from '../drive/fields';
import { itemKind } from '../drive/mime-types';
import { listComplete } from '../drive/list';
import { searchFiles } from '../drive/search';
import type { CallOptions, DriveFile, Service } from '../types';
import type { ArchiveNames } from './archive-name';
import { readNote } from './archive-note';

export interface OwnArchives {
  drive: DriveContext;
  /** An id, or the root's alias. */
  folderId: string;
  names: ArchiveNames;
  /** Of this host and these paths: see archive-note.ts. */
  series: string;
  /** Of the files in results. */
  fields: string;
}

/** Fields that numbering and retention need. */
export const REQUIRED_FIELDS: readonly string[] = [
  ...['id', 'name', 'mimeType', 'parents', 'createdTime', 'modifiedTime'],
];

/** Of another host, or other paths with the same names. */
export function isOfOtherSeries({ series }: Pick<OwnArchives, 'series'>, archive: DriveFile): boolean {
  return (readNote(archive).series ?? series) !== series;
}

/**
 * Archives of other series are in the list, too: they have numbers that can't be used again.
 * @throws `bad_response` if the list stays incomplete: the highest number or the newest archive could be missing
 */
export function listOwnArchives(own: OwnArchives, call: CallOptions): Promise<DriveFile[]> {
  const { drive, folderId, names } = own;
  const search = { folderId, text: '', kind: 'files', includeTrashed: false } as const;
  const fields = withFields(own.fields, [...REQUIRED_FIELDS, 'appProperties']);
  const pages = (budgeted: CallOptions) => searchFiles(drive, { ...search, fields }, budgeted);
  const isMatch = (file: DriveFile): boolean =>
    isBackup(drive.service, file) && names.parse(file.name ?? '') !== undefined;
  return listComplete(drive, { pages, isMatch }, call);
}

/** Folders, shortcuts and files without a MIME type are always kept, and count for no rule. */
export function isBackup(service: Service, { mimeType }: DriveFile): boolean {
  return mimeType !== undefined && ['file', 'document'].includes(itemKind(service, mimeType));
}

/** @returns 0 without archives */
export function highestNumber(names: ArchiveNames, archives: readonly DriveFile[]): number {
  return archives.reduce((highest, { name = '' }) => Math.max(highest, names.parse(name)?.number ?? 0), 0);
}
