'use strict';
/**
 * Gives mocha's workers time to write their coverage. V8 writes it when a process exits; mocha's pool kills a worker one
 * second after asking it to exit, and has no option for that.
 */
const workerpool = require('workerpool');

/** ms */
const EXIT_TIMEOUT = 60_000;

const { pool } = workerpool;
workerpool.pool = (script, options) => pool(script, { ...options, workerTerminateTimeout: EXIT_TIMEOUT });
