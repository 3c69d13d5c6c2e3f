'use strict';
const { default: Mocha } = require('mocha');

const { Spec } = Mocha.reporters;

/** mocha's spec reporter, closing with the one line that CI reads: `N passed, N failed, N skipped`. */
module.exports = class extends Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`);
  }
};
