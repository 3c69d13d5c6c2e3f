/**
 * Finds items of the same name in folders, in which several clients may have created them at the same time. Those that
 * were there before the run are a conflict: plan.ts. The others: remove-duplicates.ts, create-folders.ts.
 */
import { createHash } from 'node:crypto';
import { type DriveContext, rootId } from '../drive/drive-context';
import { isFolder } from '../drive/mime-types';
import { inQueries, listPages, FOLDERS_PER_QUERY, readComplete } from '../drive/list';
import {
  allOf,
  anyOf,
  createdSince,
  inParents,
  mimeTypeEquals,
  mimeTypeNotEquals,
  notTrashed,
} from '../drive/query';
import { oldestFirst } from '../drive/create-folder';
import type { CallOptions, DriveFile } from '../types';
import { INCOMPLETE_LIST } from './sync-errors';

export interface Duplicates {
  parentId: string;
  /** In NFC. */
  name: string;
  /** At least two, the oldest first. */
  ids: string[];
}

export interface DuplicateSearch {
  kind: 'files' | 'folders';
  /** ms since 1970, by the drive's clock: only what was created since then. */
  since: number | undefined;
}

/**
 * @returns nothing for a custom service, whose creation times may be missing
 * @throws `bad_response` for a list that stays incomplete
 */
export async function findDuplicates(
  drive: DriveContext,
  parentIds: readonly string[],
  search: DuplicateSearch,
  call: CallOptions,
): Promise<Duplicates[]> {
  const duplicates: Duplicates[] = [];
  if (!drive.service.can.creationTimes) return duplicates;
  for (const group of inQueries(drive, parentIds, FOLDERS_PER_QUERY)) {
    for (const found of await new GroupSearch(drive, group, search).run(call)) duplicates.push(found);
  }
  return duplicates;
}

/** An item of a folder. */
interface Item {
  file: DriveFile;
  /** Equal for the same name in the same folder. */
  key: string;
}

class GroupSearch {
  constructor(
    private readonly drive: DriveContext,
    private readonly parentIds: readonly string[],
    private readonly search: DuplicateSearch,
  ) {}

  /** The first list finds out whether there are duplicates, with little memory for many files. */
  async run(call: CallOptions): Promise<Duplicates[]> {
    const repeated = await this.list(async (items) => {
      const seen = new Set<number>();
      const found = new Set<number>();
      for await (const { key } of items) {
        const hash = shortHash(key);
        if (seen.has(hash)) found.add(hash);
        else seen.add(hash);
      }
      return found;
    }, call);
    if (repeated.size === 0) return [];
    const byKey = await this.list(async (items) => {
      // By id: a list that changes while its pages are read may contain a file twice.
      const found = new Map<string, Map<string, DriveFile>>();
      for await (const { key, file } of items) {
        if (!repeated.has(shortHash(key))) continue;
        found.set(key, (found.get(key) ?? new Map<string, DriveFile>()).set(file.id, file));
      }
      return found;
    }, call);
    return [...byKey].filter(([, files]) => files.size > 1).map(toDuplicates);
  }

  private list<T>(read: (items: AsyncIterable<Item>) => Promise<T>, call: CallOptions): Promise<T> {
    const { drive } = this;
    const request = { q: this.query(), fields: 'id,name,mimeType,parents,createdTime' };
    const pages = (budgeted: CallOptions) => listPages(drive, request, budgeted);
    return readComplete(drive, { pages, text: INCOMPLETE_LIST }, (list) => read(this.items(list)), call);
  }

  private async *items(list: AsyncIterable<DriveFile[]>): AsyncGenerator<Item> {
    const { drive, parentIds, search } = this;
    const isForFolders = search.kind === 'folders';
    // Of files in the root, `parents` contains the root's own id instead of the alias.
    const alias =
      parentIds.length === 1 ? parentIds[0] : parentIds.find((id) => id === rootId(drive.service));
    for await (const files of list) {
      for (const file of files) {
        if (isFolder(drive.service, file.mimeType) !== isForFolders) continue;
        const parentId = file.parents?.find((id) => parentIds.includes(id)) ?? alias;
        // Files of different folders are no duplicates.
        if (parentId === undefined) continue;
        yield { file, key: JSON.stringify([parentId, file.name?.normalize('NFC')]) };
      }
    }
  }

  private query(): string {
    const { kind, since } = this.search;
    const { folderMimeType } = this.drive.service;
    const type = kind === 'folders' ? mimeTypeEquals(folderMimeType) : mimeTypeNotEquals(folderMimeType);
    const recent = since === undefined ? [] : [createdSince(since)];
    return allOf([anyOf(this.parentIds.map(inParents)), type, notTrashed, ...recent]);
  }
}

/** 48 bits, which are rarely equal for different keys. */
function shortHash(key: string): number {
  return createHash('sha1').update(key).digest().readUIntBE(0, 6);
}

function toDuplicates([key, files]: [string, ReadonlyMap<string, DriveFile>]): Duplicates {
  const [parentId, name] = JSON.parse(key) as [string, string];
  const sorted = [...files.values()].sort(oldestFirst);
  return { parentId, name, ids: sorted.map(({ id }) => id) };
}
