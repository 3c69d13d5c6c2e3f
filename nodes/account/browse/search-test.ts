/** Runs the search in the dialog of a search-files node, deployed or not, and returns the first files. */
import type { NodeAPI } from 'node-red';
import { type CallOptions, type DriveClient, Semaphore, isDriveError } from '../../../src/index';
import { SEARCH_DEFAULTS } from '../../shared/contract/search-defaults';
import { readSearch } from '../../shared/runtime/search-request';
import type { AdminClients } from '../accounts/admin-clients';
import type { SearchTestResult } from '../../shared/contract/browse-api';
import { type TestRequest, browseRequest } from './browse-request';
import { dialogInputs } from './dialog-inputs';
import { LISTED_FIELDS, listedFiles } from './listed-file';

const MAX_FILES = 10;

/** Without effect in a test if they come from a message. */
const CONDITIONS = ['modifiedAfter', 'modifiedBefore', 'minSize', 'maxSize', 'mimeType', 'limit'] as const;

/** Matches that use a regular expression. */
const PATTERNS: readonly unknown[] = ['glob', 'regex'];

/** @param body a {@link TestRequest}, or anything else */
export function hasPattern(body: unknown): boolean {
  const { settings } = (body ?? {}) as { settings?: { match?: unknown } | null };
  return PATTERNS.includes(settings?.match);
}

export class SearchTest {
  /** Each test of a pattern may occupy a processor core. */
  private readonly patterns = new Semaphore(1);

  constructor(
    private readonly RED: NodeAPI,
    private readonly clients: AdminClients,
  ) {}

  /** @param body a {@link TestRequest}. @throws the errors of the node, `invalid_input` for a malformed request */
  find(id: string, body: unknown, call: CallOptions): Promise<SearchTestResult> {
    const find = () => this.clients.use(id, (client) => this.findWith(client, body, call));
    return hasPattern(body) ? this.patterns.run(find, call.signal) : find();
  }

  private async findWith(client: DriveClient, body: unknown, call: CallOptions): Promise<SearchTestResult> {
    const { request, limit } = await this.search(client, browseRequest.test(body), call);
    const max = limit > 0 ? Math.min(limit, MAX_FILES) : MAX_FILES;
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
      if (!isDriveError(error, 'cancelled') || result.files.length === 0) throw error;
      result.incomplete = true;
    }
    return { ...result, files: result.files.slice(0, max) };
  }

  private async search(client: DriveClient, request: TestRequest, call: CallOptions) {
    const options = { RED: this.RED, client, call, defaults: SEARCH_DEFAULTS };
    const typedInputs = ['folder', 'text', ...CONDITIONS] as const;
    const input = { ...dialogInputs(request, { ...options, typedInputs }), client };
    const { request: search, settings: list } = await readSearch(input);
    return { request: search, limit: list.limit };
  }
}
