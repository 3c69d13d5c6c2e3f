'use strict';
const { default: Mocha } = require('mocha');

const { Spec } = Mocha.reporters;

/** After the last test a process has this long to end by itself; who is left running keeps a gate waiting for ever. */
const PATIENCE = 30_000;

/** mocha's spec reporter, closing with the one line that CI reads: `N passed, N failed, N skipped`. */
module.exports = class extends Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`);
    setTimeout(() => {
      process.stderr.write(
        `The tests left something running: ${process.getActiveResourcesInfo().join(', ')}\n`,
      );
      process.exit(1);
    }, PATIENCE).unref();
  }
};
