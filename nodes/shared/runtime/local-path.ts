/** Paths on disk, relative to the same folder as in Node-RED's core file nodes. */
import path from 'node:path';
import type { NodeAPI } from 'node-red';

/** @returns the absolute path */
export function absolutePath(RED: NodeAPI, localPath: string): string {
  const { fileWorkingDirectory: base } = RED.settings as { fileWorkingDirectory?: string };
  return path.resolve(base ?? '', localPath);
}
