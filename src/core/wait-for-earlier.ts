/** Waits for work that has to end first, and says so. */
import type { CallOptions } from '../types';
import { abortable } from './abortable';

/** @param ends never rejected. @throws `cancelled` as soon as the signal is aborted */
export async function waitForEarlier(
  ends: readonly Promise<unknown>[],
  { signal, onQueue }: CallOptions,
): Promise<void> {
  const all = abortable(Promise.all(ends), signal);
  if (ends.length > 0) onQueue?.(true);
  try {
    await all;
  } finally {
    if (ends.length > 0) onQueue?.(false);
  }
}
