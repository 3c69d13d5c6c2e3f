/** Lists a folder and its subfolders, level by level. */
import { allOf, anyOf, inParents, mimeTypeEquals, notTrashed } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, folderMimeType, isFolder } from '../api/drive-context';
import { withFields } from '../api/fields';
import { type FileList, listPages } from '../api/list';

export interface WalkRequest {
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
}

/** Folders in one query: their ids take a tenth of the URL length that servers accept. */
const FOLDERS_PER_QUERY = 20;

/** Yields the files that match the terms. */
export async function* walkTree(
  drive: DriveContext,
  request: WalkRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { folderId, maxDepth, includeTrashed } = request;
  // A custom service may have a folder inside itself.
  const seen = new Set([folderId]);
  let level = [folderId];
  for (let depth = 1; level.length > 0; depth++) {
    const isLast = depth === maxDepth;
    const next: string[] = [];
    const enter = ({ id, mimeType, trashed }: DriveFile): void => {
      if (!id || seen.has(id) || !isFolder(drive.service, mimeType) || (trashed === true && !includeTrashed))
        return;
      seen.add(id);
      next.push(id);
    };
    for (const folders of batches(drive, level)) {
      const inFolders = anyOf(folders.map(inParents));
      if (isLast) yield* onlyMatches(drive, request, inFolders, call);
      else if (request.includesAllFolders) yield* withFolders(drive, request, { inFolders, enter }, call);
      else {
        yield* onlyFolders(drive, request, { inFolders, enter }, call);
        yield* onlyMatches(drive, request, inFolders, call);
      }
    }
    level = next;
  }
}

interface Level {
  /** A term of `q`. */
  inFolders: string;
  enter: (file: DriveFile) => void;
}

function onlyMatches(
  drive: DriveContext,
  { terms, fields, orderBy }: WalkRequest,
  inFolders: string,
  call: CallOptions,
): AsyncGenerator<FileList> {
  return listPages(drive, { q: allOf([inFolders, ...terms]), fields, orderBy }, call);
}

/** One query for matches and subfolders. */
async function* withFolders(
  drive: DriveContext,
  { kind, fields, orderBy, includeTrashed }: WalkRequest,
  { inFolders, enter }: Level,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { service } = drive;
  const isGoogle = service.kind === 'google';
  const type = kind === 'folders' ? [mimeTypeEquals(folderMimeType(service))] : [];
  const q = allOf([inFolders, ...type, ...(isGoogle && !includeTrashed ? [notTrashed] : [])]);
  const required = ['id', 'mimeType', ...(isGoogle ? [] : ['trashed'])];
  for await (const page of listPages(drive, { q, fields: withFields(fields, required), orderBy }, call)) {
    page.files.forEach(enter);
    const files = page.files.filter((file) => kind !== 'files' || !isFolder(service, file.mimeType));
    yield { ...page, files };
  }
}

/** Queries the subfolders; yields only whether the list may be incomplete. */
async function* onlyFolders(
  drive: DriveContext,
  request: WalkRequest,
  level: Level,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const folderRequest = { ...request, kind: 'folders', fields: '', orderBy: undefined } as const;
  for await (const page of withFolders(drive, folderRequest, level, call)) yield { ...page, files: [] };
}

/** A custom service may not support `or`: docs/signing-in.md. */
function* batches({ service }: DriveContext, folders: readonly string[]): Generator<readonly string[]> {
  const size = service.kind === 'google' ? FOLDERS_PER_QUERY : 1;
  for (let start = 0; start < folders.length; start += size) yield folders.slice(start, start + size);
}
