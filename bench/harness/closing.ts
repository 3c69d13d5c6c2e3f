import { rm } from 'node:fs/promises';
import { closeAll } from '../../test/support/close-all';

/** @returns a function that closes what a case has started, and removes its folder */
export function closing(folder: string, ...started: { close(): Promise<void> }[]): () => Promise<void> {
  return async () => {
    await closeAll(...started);
    await rm(folder, { recursive: true, force: true });
  };
}
