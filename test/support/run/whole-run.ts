/** What no test may cause, whichever it is: noted with the test that runs, and told, as a failure, once all have run. */

const noted: { test: string; text: string }[] = [];
let running = '-';

export function failRun(text: string): void {
  noted.push({ test: running, text });
}

/** mocha passes rejections that nobody handles on to listeners like this one, which then hear of them twice. */
const heard = new WeakSet<Promise<unknown>>();

// They would end a Node-RED; mocha drops them where nobody listens.
process.on('unhandledRejection', (reason, promise) => {
  if (heard.has(promise)) return;
  heard.add(promise);
  failRun(`nobody handled ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
});

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    running = this.currentTest?.fullTitle() ?? '-';
  },
  async afterAll(): Promise<void> {
    // What the last test has left unhandled is told of when the promises that are under way have been seen to.
    await new Promise(setImmediate);
    if (noted.length > 0) throw new Error(noted.map(({ test, text }) => `\n  ${test}: ${text}`).join(''));
  },
};
