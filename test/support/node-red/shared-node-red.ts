/** One Node-RED with default settings for all suites of a process, which use it one after the other. */
import { atEnd } from '../run/at-end';
import { type NodeRed, startNodeRed } from './node-red';

let shared: Promise<NodeRed> | undefined;

export function sharedNodeRed(): Promise<NodeRed> {
  return (shared ??= startNodeRed());
}

/** Ends the shared Node-RED. The next suite starts another one. */
export async function closeSharedNodeRed(): Promise<void> {
  const last = shared;
  shared = undefined;
  await (await last)?.close();
}
atEnd(closeSharedNodeRed);

/** Without flows, Node-RED also forgets the credentials. */
export const sharedFlows = { close: async () => (await shared)?.deploy([]) };
