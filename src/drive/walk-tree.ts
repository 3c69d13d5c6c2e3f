/** Lists a folder and its subfolders, level by level. */
import { allOf, anyOf, inParents, mimeTypeEquals, notTrashed } from './query';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, isOutside, markOutside } from './drive-context';
import { folderMimeType, isFolder } from './mime-types';
import { withFields } from './fields';
import { type FileList, inQueries, listPages, type ListQuery } from './list';
import { SHORTCUT_TYPE, shortcutFields, targetOf } from './shortcuts';
import { isDriveError } from '../errors';

interface WalkRequest {
  folderId: string;
  /** 1 for the folder itself, 0 for no limit. */
  maxDepth: number;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  /** Of `q`, as in {@link SearchFilter}. */
  terms: readonly string[];
  includesAllFolders: boolean;
  fields: string;
  orderBy?: string;
  /** As in `ListRequest`. */
  anyDrive?: boolean;
}

/** Folders in one query: their ids take a tenth of the URL length that servers accept. */
const FOLDERS_PER_SEARCH = 20;

/**
 * Yields the files that match the terms. Shortcuts to folders are followed, each folder only once; those that lead to
 * no folder are skipped.
 */
export async function* walkTree(
  drive: DriveContext,
  request: WalkRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { folderId, maxDepth, includeTrashed } = request;
  const { service } = drive;
  // A custom service may have a folder inside itself.
  const seen = new Set([folderId]);
  let level: Level = { folders: [folderId], targets: [] };
  for (let depth = 1; level.folders.length + level.targets.length > 0; depth++) {
    const isLast = depth === maxDepth;
    const next: Level = { folders: [], targets: [] };
    const list = (folders: readonly string[]): AsyncGenerator<FileList> => {
      const anyDrive = request.anyDrive || folders.some((id) => isOutside(drive, id));
      const enter = (file: DriveFile): void => {
        if (file.trashed === true && !includeTrashed) return;
        const target = targetOf(file);
        const { id, mimeType } = target ?? file;
        if (!id || seen.has(id) || !isFolder(service, mimeType)) return;
        seen.add(id);
        if (target || anyDrive) markOutside(drive, id);
        (target ? next.targets : next.folders).push(id);
      };
      return listLevel(drive, { ...request, isLast, anyDrive }, { folders, enter }, call);
    };
    for (const folders of inQueries(drive, level.folders, FOLDERS_PER_SEARCH)) yield* list(folders);
    for (const target of level.targets) yield* unlessMissing(list([target]));
    level = next;
  }
}

/** Ids of folders, and of folders that shortcuts lead to. */
interface Level {
  folders: string[];
  targets: string[];
}

interface Batch {
  folders: readonly string[];
  enter: (file: DriveFile) => void;
}

/** One query for matches and subfolders if the terms match all folders, otherwise one for each. */
async function* listLevel(
  drive: DriveContext,
  request: WalkRequest & { isLast: boolean },
  { folders, enter }: Batch,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { kind, isLast, includesAllFolders: isOneQuery, terms, fields, orderBy, anyDrive } = request;
  const inFolders = anyOf(folders.map(inParents));
  const matches = { q: allOf([inFolders, ...terms]), fields, orderBy, anyDrive };
  if (!isLast) {
    const isMatch = ({ mimeType }: DriveFile): boolean =>
      isOneQuery && (kind === 'any' || isFolder(drive.service, mimeType) === (kind === 'folders'));
    const subfolders = isOneQuery ? request : { ...request, ...ONLY_FOLDERS };
    for await (const page of listPages(drive, subfolderQuery(drive, subfolders, inFolders), call)) {
      page.files.forEach(enter);
      yield { ...page, files: page.files.filter(isMatch) };
    }
  }
  if (isLast || !isOneQuery) yield* listPages(drive, matches, call);
}

const ONLY_FOLDERS = { kind: 'folders', fields: '', orderBy: undefined } as const;

/** @param inFolders a term of `q` */
function subfolderQuery(
  { service }: DriveContext,
  { kind, fields, orderBy, includeTrashed, anyDrive }: WalkRequest,
  inFolders: string,
): ListQuery {
  const { queries, shortcuts } = service.can;
  const types = [folderMimeType(service), ...(shortcuts ? [SHORTCUT_TYPE] : [])];
  const type = kind === 'folders' ? [anyOf(types.map(mimeTypeEquals))] : [];
  const q = allOf([inFolders, ...type, ...(queries && !includeTrashed ? [notTrashed] : [])]);
  const required = ['id', 'mimeType', ...shortcutFields(service), ...(queries ? [] : ['trashed'])];
  return { q, fields: withFields(fields, required), orderBy, anyDrive };
}

/** A shortcut to a folder that doesn't exist is no reason to stop. */
async function* unlessMissing(list: AsyncGenerator<FileList>): AsyncGenerator<FileList> {
  try {
    yield* list;
  } catch (error) {
    if (!isDriveError(error, 'not_found')) throw error;
  }
}
