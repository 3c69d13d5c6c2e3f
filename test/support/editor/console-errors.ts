/**
 * What the browser's console tells of, of every page that any spec has open. Whatever isn't named here as known fails
 * the run, so that no spec has to ask for it.
 */
import { failRun } from '../run/whole-run';

/** What says nothing against the package. */
const KNOWN: readonly [RegExp, why: string][] = [
  [/ responded with a status of 4\d\d/, 'what is refused, the dialog tells'],
  [
    / responded with a status of 502\b.*\/cloud-drive-account\//,
    'what fails at the service, the panel tells',
  ],
  [/^WebSocket connection to '\S+\/comms' failed: .*ERR_CONNECTION_REFUSED/, 'a Node-RED that is restarted'],
];

/** To be told of each line at the level of errors, and of each exception. */
export function noteConsoleError(text: string): void {
  if (!KNOWN.some(([known]) => known.test(text))) failRun(`in the console of the browser: ${text}`);
}
