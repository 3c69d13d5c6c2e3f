/** One demo at a time keeps its data in a folder: two would write each other's flows over. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** @param file holds the id of the process that runs */
export function lock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = Number(readFileSync(file, 'utf8'));
    if (isRunning(holder)) {
      throw new Error(
        `The demo runs already (process ${holder}). End it first, or keep the data of this one elsewhere: DEMO_DIR=.demo/second npm start`,
        { cause: error },
      );
    }
    // It was killed, and could not clean up.
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
