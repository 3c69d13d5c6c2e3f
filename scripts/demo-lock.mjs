/** Prevents two demos with the same data folder, which would overwrite each other's flows. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** @param file contains the pid of the running demo */
export function lock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const pid = Number(readFileSync(file, 'utf8'));
    if (isRunning(pid)) {
      throw new Error(
        `The demo is already running (process ${pid}). Stop it first, or use another folder for this one: DEMO_DIR=.demo/second npm start`,
        { cause: error },
      );
    }
    // The previous demo was killed and left its lock.
    writeFileSync(file, String(process.pid));
  }
  process.once('exit', () => rmSync(file, { force: true }));
}

function isRunning(id) {
  if (!Number.isInteger(id) || id <= 0) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
