'use strict';
/** Corrects what mocha's workers do, which run the spec files, and for which mocha has no options. */
const workerpool = require('workerpool');

/** ms. V8 writes the coverage when a process exits; mocha's pool kills a worker one second after asking it to exit. */
const EXIT_TIMEOUT = 60_000;

const { pool } = workerpool;
workerpool.pool = (script, options) => pool(script, { ...options, workerTerminateTimeout: EXIT_TIMEOUT });

// Results are sent as JSON. A BigInt in the error of one test would lose the results of its whole file.
if (!workerpool.isMainThread) {
  const send = process.send.bind(process);
  process.send = (message) => send(JSON.parse(JSON.stringify(message, bigIntAsText)));
}

function bigIntAsText(_key, value) {
  return typeof value === 'bigint' ? `${value}n` : value;
}
