'use strict';
const { writeFileSync } = require('node:fs');
const { default: Mocha } = require('mocha');

const { Spec } = Mocha.reporters;

/** ms that the process may take to end after the last test; a leaked handle would keep CI waiting forever. */
const EXIT_TIMEOUT = 30_000;

/**
 * mocha's spec reporter. Its last line is the one that CI reads: `N passed, N failed, N skipped`. With the environment variable
 * CLOUD_DRIVE_RESULTS, it writes the results of each spec file there instead, for scripts/test.mjs:
 * `{[file]: {passed: number, failed: titles[], skipped: titles[]}}`.
 */
module.exports = class extends Spec {
  constructor(runner, options) {
    super(runner, options);
    this.target = process.env.CLOUD_DRIVE_RESULTS;
    // A test may run mocha itself.
    delete process.env.CLOUD_DRIVE_RESULTS;
    this.files = {};
    let file = '';
    const add = (test, property) => {
      // Hooks of all files have no file. Their events follow those of the file's tests.
      file = test.file ?? file;
      const results = (this.files[file] ??= { passed: 0, failed: [], skipped: [] });
      if (property === 'passed') results.passed++;
      else results[property].push(test.fullTitle());
    };
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('fail', (test) => add(test, 'failed'));
    runner.on('pending', (test) => add(test, 'skipped'));
  }

  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    if (this.target) writeFileSync(this.target, JSON.stringify(this.files));
    else
      process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`);
    setTimeout(() => {
      const handles = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests left something running: ${handles}\n`);
      process.exit(1);
    }, EXIT_TIMEOUT).unref();
  }
};
