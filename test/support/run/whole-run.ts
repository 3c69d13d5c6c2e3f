/** Fails the run for problems that no single test would notice: unhandled rejections and errors in a browser console. */
import { threadPool } from '../../../src/core/threads/call-thread';

const problems: { test: string; text: string }[] = [];
let currentTest = '-';

export function failRun(text: string): void {
  problems.push({ test: currentTest, text });
}

/** mocha forwards unhandled rejections to listeners like this one, which would otherwise count them twice. */
const seen = new WeakSet<Promise<unknown>>();

/** An unhandled rejection would end Node-RED. Without a listener mocha drops it. */
function onUnhandled(reason: unknown, promise: Promise<unknown>): void {
  if (seen.has(promise)) return;
  seen.add(promise);
  failRun(
    `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  );
}

export const mochaHooks = {
  /** Runs once per spec file when files run in parallel: mocha's worker removes all listeners after each file. */
  beforeAll(): void {
    process.off('unhandledRejection', onUnhandled).on('unhandledRejection', onUnhandled);
  },
  beforeEach(this: Mocha.Context): void {
    currentTest = this.currentTest?.fullTitle() ?? '-';
    const measuresThreads = /src.backup.(?:archive|entries|restic|restore-faults|read-snapshots)/.test(
      this.currentTest?.file ?? '',
    );
    // typescript.cjs reads it.
    Object.assign(globalThis, { measuresThreads });
  },
  /** Runs once per spec file when files run in parallel, so each file reports only its own problems. */
  async afterAll(): Promise<void> {
    // The next file may measure the coverage of threads, which a thread can't start later.
    await threadPool.close();
    // Rejections of the last test are reported only after pending promises have settled.
    await new Promise(setImmediate);
    const texts = problems.splice(0).map(({ test, text }) => `\n  ${test}: ${text}`);
    if (texts.length > 0) throw new Error(texts.join(''));
  },
};
