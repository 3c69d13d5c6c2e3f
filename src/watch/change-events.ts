/** What happened to a file: decided from how it was, as far as that is known, and how it is. Asks nobody. */
import type { Change } from '../api/changes';
import { type KnownFile, digestOf, parentOf } from './known-files';

export const CHANGE_EVENTS = ['created', 'changed', 'moved', 'trashed', 'removed'] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

export interface ChangeContext {
  before: KnownFile | undefined;
  /** Whether it was in what is watched, and is. */
  wasInside: boolean;
  isInside: boolean;
  /** A folder is watched, and not the whole drive. */
  hasFolder: boolean;
  /** Every file that is watched is known: one that isn't has come. */
  knowsAll: boolean;
  /** What is there at the start is told as if it had just been made. */
  isTelling: boolean;
  /** By its date; of what isn't known. */
  isNew: boolean;
}

/** ms. A change that sets the modified time is told of no later than that. */
const SOON = 60_000;

/** @returns what happened, what tells most first; several things may have between two looks, and often nothing has */
export function classifyChange(change: Change, situation: ChangeContext): ChangeEvent[] {
  const { before, wasInside, isInside, hasFolder } = situation;
  const { file } = change;
  // It was told as removed: whoever forgot it then hears of it as of a new one.
  if (before?.state === 'gone')
    return only('created', isInside && file !== undefined && file.trashed !== true);
  if (!file) return before ? only('removed', wasInside) : only('removed', !hasFolder);
  if (file.trashed === true) return only('trashed', before?.state !== 'trashed' && (wasInside || isInside));
  if (!before) return isInside ? unknown(change, situation) : [];
  if (wasInside !== isInside) return ['moved'];
  if (!isInside) return [];
  return [
    ...only('moved', before.parent !== parentOf(file)),
    ...only('changed', before.state === 'trashed' || before.digest !== digestOf(file)),
  ];
}

function only(event: ChangeEvent, isSo: boolean): ChangeEvent[] {
  return isSo ? [event] : [];
}

function unknown(
  { file, time }: Change,
  { hasFolder, knowsAll, isTelling, isNew }: ChangeContext,
): ChangeEvent[] {
  if (isTelling || isNew || (knowsAll && !hasFolder)) return ['created'];
  const modified = Date.parse(file?.modifiedTime ?? '');
  // A move leaves the modified time as it is.
  const isModified = time === undefined || modified > time - SOON;
  if (!hasFolder) return ['changed'];
  if (knowsAll) return isModified ? ['moved', 'changed'] : ['moved'];
  return isModified ? ['changed'] : ['moved'];
}
