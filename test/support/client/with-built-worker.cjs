'use strict';
/**
 * Runs a program in TypeScript with the built worker thread: `node with-built-worker.cjs FILE [ARGUMENT…]`. Otherwise, the
 * thread loads the compiler too, which takes some 10 MB of the measured memory.
 */
const Module = require('node:module');
const path = require('node:path');
require('tsx/cjs');

const WORKER = path.join(__dirname, '../../../dist/archive-worker.js');
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...others) {
  return request === './archive-worker' ? WORKER : resolveFilename.call(this, request, ...others);
};

const [file] = process.argv.splice(2, 1);
require(file);
