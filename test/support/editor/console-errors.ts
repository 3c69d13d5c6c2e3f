/**
 * Errors in the browser's console, of all pages of all specs. An error that isn't expected fails the run, so that specs
 * needn't check for it.
 */
import { failRun } from '../run/whole-run';

/** A timer of the tips in Node-RED 5.0 is early. No code of this package calls `html`. */
export const NODE_RED_ERROR = /^TypeError: Cannot read properties of undefined \(reading 'html'\)$/;

/** Errors that tests cause on purpose. */
const EXPECTED: readonly [RegExp, reason: string][] = [
  [/ responded with a status of 4\d\d/, 'the dialog shows rejected requests'],
  [/ responded with a status of 502\b.*\/cloud-drive-account\//, 'the panel shows errors of the service'],
  [
    /^WebSocket connection to '\S+\/comms' failed: .*ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)/,
    'Node-RED is restarting',
  ],
  [NODE_RED_ERROR, 'it is no error of this package'],
];

/** Call it for each error message and each exception. */
export function noteConsoleError(text: string): void {
  if (!EXPECTED.some(([pattern]) => pattern.test(text))) failRun(`in the console of the browser: ${text}`);
}
