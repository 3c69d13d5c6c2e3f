/**
 * What the browser's console tells of, of every page that any spec has open. Whatever isn't named here as known fails
 * the run: for mocha, once for all, so that no spec has to ask for it.
 */

/** What says nothing against the package. */
const KNOWN: readonly [RegExp, why: string][] = [
  [/ responded with a status of 4\d\d/, 'what is refused, the dialog tells'],
  [
    / responded with a status of 502\b.*\/cloud-drive-account\//,
    'what fails at the service, the panel tells',
  ],
  [/^WebSocket connection to '\S+\/comms' failed: .*ERR_CONNECTION_REFUSED/, 'a Node-RED that is restarted'],
];

const unknown: { test: string; text: string }[] = [];
let running = '-';

/** To be told of each line at the level of errors, and of each exception. */
export function noteConsoleError(text: string): void {
  if (!KNOWN.some(([known]) => known.test(text))) unknown.push({ test: running, text });
}

export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    running = this.currentTest?.fullTitle() ?? '-';
  },
  afterAll(): void {
    if (unknown.length === 0) return;
    const told = unknown.map(({ test, text }) => `\n  ${test}: ${text}`);
    throw new Error(`in the console of the browser:${told.join('')}`);
  },
};
