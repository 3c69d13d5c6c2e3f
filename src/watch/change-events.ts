/** Classifies a change by comparing the file with what is known of it. Pure. */
import type { Change } from '../drive/changes';
import { type KnownFile, digestOf, parentOf } from './known-files';

export const CHANGE_EVENTS = ['created', 'changed', 'moved', 'trashed', 'removed'] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

export interface ChangeContext {
  before: KnownFile | undefined;
  /** Whether the file was in the watched folder, and whether it is now. */
  wasInside: boolean;
  isInside: boolean;
  /** True if a folder is watched, false for the whole drive. */
  hasFolder: boolean;
  /** Whether all watched files are known, so that an unknown file must have arrived. */
  knowsAll: boolean;
  /** Whether the existing files are being emitted as created. */
  emitsExisting: boolean;
  /** Whether an unknown file was created after the watch started. */
  isNew: boolean;
}

/** How much later than the modified time a change may be listed, in ms. */
const MAX_CHANGE_DELAY = 60_000;

/** @returns what happened between two polls, the most significant event first; often nothing */
export function classifyChange(change: Change, situation: ChangeContext): ChangeEvent[] {
  const { before, wasInside, isInside, hasFolder } = situation;
  const { file } = change;
  // It was emitted as removed, so its return is a creation.
  if (before?.state === 'gone')
    return when('created', isInside && file !== undefined && file.trashed !== true);
  if (!file) return before ? when('removed', wasInside) : when('removed', !hasFolder);
  if (file.trashed === true) return when('trashed', before?.state !== 'trashed' && (wasInside || isInside));
  if (!before) return isInside ? classifyUnknown(change, situation) : [];
  if (wasInside !== isInside) return ['moved'];
  if (!isInside) return [];
  return [
    ...when('moved', before.parent !== parentOf(file)),
    ...when('changed', before.state === 'trashed' || before.digest !== digestOf(file)),
  ];
}

function when(event: ChangeEvent, condition: boolean): ChangeEvent[] {
  return condition ? [event] : [];
}

function classifyUnknown(
  { file, time }: Change,
  { hasFolder, knowsAll, emitsExisting, isNew }: ChangeContext,
): ChangeEvent[] {
  if (emitsExisting || isNew || (knowsAll && !hasFolder)) return ['created'];
  const modified = Date.parse(file?.modifiedTime ?? '');
  // A move doesn't change the modified time.
  const isModified = time === undefined || modified > time - MAX_CHANGE_DELAY;
  if (!hasFolder) return ['changed'];
  if (knowsAll) return isModified ? ['moved', 'changed'] : ['moved'];
  return isModified ? ['changed'] : ['moved'];
}
