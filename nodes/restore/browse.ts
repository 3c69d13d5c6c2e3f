/** What the dialog shows of the archives in a folder: their list, and the entries of one. */
import { type ArchiveChoice, type CallOptions, type ListedEntry, onAbort } from '../../src/index';
import type { Report } from '../shared/admin/background-work';
import { FILE_FIELDS } from '../shared/contract/defaults';
import type { BackupEntries, BackupList, ListedBackup } from '../shared/contract/dialog-api';
import { readChoice, readBackupFolder, readQuery } from './archive-query';
import { type DialogContext, isTyped } from './dialog-request';
import { DEFAULTS } from './restore.defaults';

/** The others are older. */
export const MAX_BACKUPS = 1_000;
/** So that neither Node-RED nor the browser runs out of memory: a tree has a row for each name in a path. */
const MAX = { entries: 100_000, names: 1_000_000, characters: 32 * 1024 * 1024 };

/** @throws `not_found` without the folder, … */
export async function listArchives(context: DialogContext): Promise<BackupList> {
  const { client, inputs, config, call } = context;
  const choice = await knownChoice(context);
  const query = {
    ...(await readBackupFolder(context)),
    choice: choice.which === 'file' ? ({ which: 'newest' } as const) : choice,
    pattern: inputs.settingText('pattern') || DEFAULTS.pattern,
    allowIncomplete: inputs.flag('allowIncomplete'),
    fields: FILE_FIELDS,
  };
  const { archives, selected } = await client.findArchives(query, call);
  const selectedId = choice.which === 'file' ? choice.fileId : selected?.file.id;
  const isChoiceKnown = config.which === 'newest' || isTyped(config, 'select');
  const backups = archives.slice(0, MAX_BACKUPS).map(({ file, time, isComplete }): ListedBackup => {
    const { id, name = id, size } = file;
    return {
      ...{ id, name, complete: isComplete, selected: isChoiceKnown && id === selectedId },
      ...(size !== undefined && { size: Number(size) }),
      ...(time !== null && { time: new Date(time).toISOString() }),
    };
  });
  return { backups, more: archives.length > MAX_BACKUPS };
}

/** Without a value in the dialog, the newest. */
async function knownChoice(context: DialogContext): Promise<ArchiveChoice> {
  const { config } = context;
  return config.which === 'newest' || !isTyped(config, 'select') ? { which: 'newest' } : readChoice(context);
}

/** @param context its settings select the archive as a file. @throws the errors of a list */
export async function archiveEntries(context: DialogContext, report: Report): Promise<BackupEntries> {
  const { client, call } = context;
  const query = await readQuery(context);
  return collectEntries(call, (onEntries, clear, signal) => {
    const mayRepeat = (): boolean => {
      clear();
      return true;
    };
    const request = { ...query, include: [], onProgress: report, mayRepeat, onEntries };
    return client.listArchive(request, { ...call, signal });
  });
}

/** @param list calls back with some of the entries, and ends when its signal is aborted: there are too many */
export async function collectEntries(
  call: CallOptions,
  list: (
    onEntries: (entries: ListedEntry[]) => Promise<void>,
    clear: () => void,
    signal: AbortSignal,
  ) => Promise<unknown>,
): Promise<BackupEntries> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  if (call.signal?.aborted) abort();
  const removeListener = call.signal && onAbort(call.signal, abort);
  const result: BackupEntries = { entries: [], more: false };
  let [names, characters] = [0, 0];
  const onEntries = (entries: ListedEntry[]): Promise<void> => {
    for (const { path, type, size, modifiedTime } of entries) {
      names += path.split('/').length;
      characters += path.length;
      const isFull = result.entries.length === MAX.entries;
      result.more ||= isFull || names > MAX.names || characters > MAX.characters;
      if (result.more) break;
      result.entries.push([path, type === 'folder', size, Date.parse(modifiedTime)]);
    }
    if (result.more) stop.abort();
    return Promise.resolve();
  };
  const clear = (): void => {
    result.entries = [];
    [names, characters] = [0, 0];
  };
  try {
    await list(onEntries, clear, stop.signal);
  } catch (error) {
    if (!result.more) throw error;
  } finally {
    removeListener?.();
  }
  return result;
}
