'use strict';
/**
 * Loads TypeScript. Threads load what the main thread has compiled: each would need 0.1 s for the compiler, and the tests
 * start a thousand for archives.
 */
const { Module } = require('node:module');
const path = require('node:path');
const { getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads');

const KEY = 'compiled TypeScript';
const WORKER = path.join(__dirname, '../../../src/archive/archive-worker.ts');

if (isMainThread) {
  require('tsx/cjs');
  compileWorkerOnUse();
} else {
  const compiled = getEnvironmentData(KEY);
  Module._extensions['.ts'] = (module, file) => module._compile(compiled.get(file), file);
}

/** Compiles the thread's code when its path is resolved, which happens for each thread. */
function compileWorkerOnUse() {
  const resolveFilename = Module._resolveFilename;
  Module._resolveFilename = function (...args) {
    const file = resolveFilename.apply(this, args);
    if (file === WORKER && !getEnvironmentData(KEY)) setEnvironmentData(KEY, compileWithImports(WORKER));
    return file;
  };
}

/** @returns the code of a file and of the project's files that it imports, by path */
function compileWithImports(file, compiled = new Map()) {
  if (compiled.has(file)) return compiled;
  const module = new Module(file);
  module.filename = file;
  module._compile = (code) => compiled.set(file, code);
  Module._extensions['.ts'](module, file);
  const required = compiled.get(file).matchAll(/\brequire\("(\.[^"]*)"\)/g);
  for (const [, name] of required) compileWithImports(Module._resolveFilename(name, module), compiled);
  return compiled;
}
