'use strict';
/**
 * Loads TypeScript. Threads load what the main thread has compiled: each would need 0.1 s for the compiler, and the tests
 * start a thousand for archives.
 */
const { Module } = require('node:module');
const path = require('node:path');
const threads = require('node:worker_threads');

const { getEnvironmentData, isMainThread, setEnvironmentData } = threads;

const KEY = 'compiled TypeScript';
const SRC = path.join(__dirname, '../../../src');
const WORKERS = ['backup/archive/archive-worker.ts', 'backup/restic/snapshot-worker.ts'].map((file) =>
  path.join(SRC, file),
);

if (isMainThread) {
  require('tsx/cjs');
  compileWorkerOnUse();
  if (process.env.NODE_V8_COVERAGE) selectMeasuredThreads();
} else {
  const compiled = getEnvironmentData(KEY);
  Module._extensions['.ts'] = (module, file) => module._compile(compiled.get(file), file);
}

/** Compiles the code of a thread when its path is resolved, which happens for each thread. */
function compileWorkerOnUse() {
  const resolveFilename = Module._resolveFilename;
  const compiled = new Map();
  Module._resolveFilename = function (...args) {
    const file = resolveFilename.apply(this, args);
    if (WORKERS.includes(file) && !compiled.has(file))
      setEnvironmentData(KEY, compileWithImports(file, compiled));
    return file;
  };
}

/**
 * Leaves the coverage of threads to the specs of archives' and repositories' formats and of faults, which run all of their code. Measuring
 * a thread takes as long as starting it, and other specs start hundreds.
 */
function selectMeasuredThreads() {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      const env = { ...process.env };
      delete env.NODE_V8_COVERAGE;
      super(file, globalThis.measuresThreads ? options : { ...options, env });
    }
  };
}

/** @returns the code of a file and of the project's files that it imports, by path */
function compileWithImports(file, compiled) {
  if (compiled.has(file)) return compiled;
  const module = new Module(file);
  module.filename = file;
  module._compile = (code) => compiled.set(file, code);
  Module._extensions['.ts'](module, file);
  const required = compiled.get(file).matchAll(/\brequire\("(\.[^"]*)"\)/g);
  for (const [, name] of required) compileWithImports(Module._resolveFilename(name, module), compiled);
  return compiled;
}
