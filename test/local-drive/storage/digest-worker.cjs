'use strict';
// Plain JavaScript, because a worker thread does not inherit the test runner's TypeScript loader.
const { createHash } = require('node:crypto');
const { closeSync, openSync, readSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');

/** Digests in progress, by job number. Each reads its file as far as it has been written. */
const jobs = new Map();
const buffer = Buffer.allocUnsafe(1024 * 1024);

function open({ job, path, algorithms }) {
  const hashes = algorithms.map((name) => [name, createHash(name)]);
  jobs.set(job, { fd: openSync(path, 'r'), position: 0, hashes });
}

function advance({ job, upTo }) {
  const state = jobs.get(job);
  while (state && state.position < upTo) {
    const length = Math.min(buffer.length, upTo - state.position);
    const read = readSync(state.fd, buffer, 0, length, state.position);
    if (read === 0) throw new Error('the file is shorter than expected');
    for (const [, hash] of state.hashes) hash.update(buffer.subarray(0, read));
    state.position += read;
  }
}

function finish({ job }) {
  const state = jobs.get(job);
  const digests = Object.fromEntries(state.hashes.map(([name, hash]) => [name, hash.digest('hex')]));
  drop({ job });
  parentPort.postMessage({ job, digests });
}

function drop({ job }) {
  const state = jobs.get(job);
  jobs.delete(job);
  if (state) closeSync(state.fd);
}

const steps = { open, advance, finish, drop };

parentPort.on('message', (message) => {
  try {
    steps[message.step](message);
  } catch (error) {
    drop(message);
    if (message.step !== 'drop') parentPort.postMessage({ job: message.job, error: String(error) });
  }
});
