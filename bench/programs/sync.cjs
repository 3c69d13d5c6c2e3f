'use strict';
/** Synchronizes a folder, without Node-RED: `node sync.cjs up|down FOLDER ID REQUESTS_PER_SECOND`. Settings as rclone's. */
const { googleClient } = require('./client-at.cjs');
const measured = require('./measured.cjs');

const [direction, localPath, folderId, requestsPerSecond] = process.argv.slice(2);
const client = googleClient(Number(requestsPerSecond));

async function sync() {
  const { error } = await client.sync({
    ...{ direction, localPath, folderId, include: [], exclude: [], compare: 'time', extra: 'keep' },
    ...{ maxRemovals: 0, symlinks: 'skip', exportFormat: '', dryRun: false },
  });
  if (error) throw error;
}

/** Loads modules. */
client.getAbout('user').then(() => measured(sync));
