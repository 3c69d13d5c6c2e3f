/** The admin route of the dialog's test: runs the search, deployed or not, and returns the first files. */
import type { NodeAPI } from 'node-red';
import { type CallOptions, type DriveClient, Semaphore, isDriveError } from '../../src/index';
import { accountEndpoint } from '../shared/admin/account-client';
import { dialogInputs } from '../shared/admin/dialog-inputs';
import { LISTED_FIELDS, listedFiles } from '../shared/admin/listed-file';
import type { Route } from '../shared/admin/routes';
import type { SearchTestResult } from '../shared/contract/dialog-api';
import { DEFAULTS } from './search-files.defaults';
import { readSearch } from './search-request';

const MAX_FILES = 10;

/** Conditions are without effect in a test if they come from a message. */
const TYPED_INPUTS = [
  ...(['folder', 'text', 'limit', 'mimeType'] as const),
  ...(['modifiedAfter', 'modifiedBefore', 'minSize', 'maxSize'] as const),
];

/** Matches that use a regular expression. */
const PATTERNS: readonly unknown[] = ['glob', 'regex'];

/** @param body of the request, which isn't checked yet */
function hasPattern(body: unknown): boolean {
  const { settings } = (body ?? {}) as { settings?: { match?: unknown } | null };
  return PATTERNS.includes(settings?.match);
}

export function searchTestRoute(RED: NodeAPI): Route {
  // Each test of a pattern may occupy a processor core.
  const patterns = new Semaphore(1);
  return {
    method: 'post',
    path: '/:id/test',
    // A pattern may take long to match.
    permission: (body) => (hasPattern(body) ? 'flows.write' : 'flows.read'),
    endpoint: accountEndpoint(RED, (client, { body }, call) => {
      const test = () => testSearch(RED, client, body, call);
      return hasPattern(body) ? patterns.run(test, call.signal) : test();
    }),
  };
}

/**
 * @param body `settings` of the dialog, and `examples` for values that aren't in it
 * @throws the errors of the node, `invalid_input` for a malformed request
 */
export async function testSearch(
  RED: NodeAPI,
  client: DriveClient,
  body: unknown,
  call: CallOptions,
): Promise<SearchTestResult> {
  const inputs = dialogInputs(body, { RED, client, call, defaults: DEFAULTS, typedInputs: TYPED_INPUTS });
  const { request, settings } = await readSearch({ ...inputs, client });
  const max = settings.limit > 0 ? Math.min(settings.limit, MAX_FILES) : MAX_FILES;
  const found = { ...request, fields: LISTED_FIELDS, limit: max, inThread: true };
  const result: SearchTestResult = { files: [], more: false, incomplete: false };
  try {
    for await (const page of client.search(found, call)) {
      result.incomplete ||= page.incompleteSearch;
      for (const file of listedFiles(client, page.files)) result.files.push(file);
      result.more = result.files.length > max;
      if (result.more) break;
    }
  } catch (error) {
    // After a timeout, the files found so far are the result.
    if (!isDriveError(error, 'cancelled') || result.files.length === 0) throw inputs.inputs.explain(error);
    result.incomplete = true;
  }
  return { ...result, files: result.files.slice(0, max) };
}
