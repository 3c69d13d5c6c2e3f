'use strict';
const { default: Mocha } = require('mocha');

const { Spec } = Mocha.reporters;

/** ms that the process may take to end after the last test; a leaked handle would keep CI waiting forever. */
const EXIT_TIMEOUT = 30_000;

/** mocha's spec reporter; its last line is the one that CI reads: `N passed, N failed, N skipped`. */
module.exports = class extends Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`);
    setTimeout(() => {
      const handles = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests left something running: ${handles}\n`);
      process.exit(1);
    }, EXIT_TIMEOUT).unref();
  }
};
