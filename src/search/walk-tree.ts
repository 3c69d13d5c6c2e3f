/** What is in a folder, in the folders in it, and so on, level by level. */
import { allOf, anyOf, inParents, mimeTypeEquals, notTrashed } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, folderMimeType, isFolder } from '../api/drive-context';
import { withFields } from '../api/fields';
import { type FileList, listPages } from '../api/list';

export interface WalkRequest {
  folderId: string;
  /** 1 is the folder alone, 0 has no limit. */
  maxDepth: number;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  /** Of `q`. */
  terms: readonly string[];
  /** The terms but for those of the kind and the trash let every folder through. */
  includesAllFolders: boolean;
  fields: string;
  orderBy?: string;
}

/** Folders that are asked for at once: their ids make a tenth of the longest address that servers take. */
const TOGETHER = 20;

/** Yields what the terms let through. */
export async function* walkTree(
  drive: DriveContext,
  wanted: WalkRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { folderId, maxDepth, includeTrashed } = wanted;
  // A service with a folder inside itself must not be walked for ever.
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
    for (const folders of together(drive, level)) {
      const place = anyOf(folders.map(inParents));
      if (isLast) yield* onlyWanted(drive, wanted, place, call);
      else if (wanted.includesAllFolders) yield* withFolders(drive, wanted, { place, enter }, call);
      else {
        yield* foldersAlone(drive, wanted, { place, enter }, call);
        yield* onlyWanted(drive, wanted, place, call);
      }
    }
    level = next;
  }
}

interface Level {
  place: string;
  enter: (file: DriveFile) => void;
}

function onlyWanted(
  drive: DriveContext,
  { terms, fields, orderBy }: WalkRequest,
  place: string,
  call: CallOptions,
): AsyncGenerator<FileList> {
  return listPages(drive, { q: allOf([place, ...terms]), fields, ...(orderBy ? { orderBy } : {}) }, call);
}

/** One list says both what is wanted and where to go on. */
async function* withFolders(
  drive: DriveContext,
  wanted: WalkRequest,
  { place, enter }: Level,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { kind, fields, orderBy } = wanted;
  const type = kind === 'folders' ? [mimeTypeEquals(folderMimeType(drive.service))] : [];
  const request = {
    q: allOf([place, ...type, ...notInTrash(drive, wanted)]),
    fields: withFields(fields, walkFields(drive)),
    ...(orderBy ? { orderBy } : {}),
  };
  for await (const page of listPages(drive, request, call)) {
    page.files.forEach(enter);
    const files = page.files.filter((file) => kind !== 'files' || !isFolder(drive.service, file.mimeType));
    yield { ...page, files };
  }
}

/** Yields nothing but that a list may be incomplete. */
async function* foldersAlone(
  drive: DriveContext,
  wanted: WalkRequest,
  { place, enter }: Level,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const type = mimeTypeEquals(folderMimeType(drive.service));
  const request = {
    q: allOf([place, type, ...notInTrash(drive, wanted)]),
    fields: walkFields(drive).join(','),
  };
  for await (const { files, incompleteSearch } of listPages(drive, request, call)) {
    files.forEach(enter);
    yield { files: [], incompleteSearch };
  }
}

function notInTrash({ service }: DriveContext, { includeTrashed }: WalkRequest): string[] {
  return service.kind === 'google' && !includeTrashed ? [notTrashed] : [];
}

function walkFields({ service }: DriveContext): string[] {
  return ['id', 'mimeType', ...(service.kind === 'google' ? [] : ['trashed'])];
}

/** A custom service need know no `or`: docs/signing-in.md. */
function* together({ service }: DriveContext, folders: readonly string[]): Generator<readonly string[]> {
  const size = service.kind === 'google' ? TOGETHER : 1;
  for (let start = 0; start < folders.length; start += size) yield folders.slice(start, start + size);
}
