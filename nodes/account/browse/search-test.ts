/** Runs the search that is configured in the dialog of search-files, deployed or not, for its first matches. */
import type { Node, NodeAPI } from 'node-red';
import { type CallOptions, type DriveClient, isDriveError } from '../../../src/index';
import { Inputs } from '../../shared/runtime/inputs';
import { isLiteral } from '../../shared/contract/literal-value';
import { SEARCH_DEFAULTS } from '../../shared/contract/search-defaults';
import { readSearch } from '../../shared/runtime/search-request';
import type { AccountRegistry } from '../accounts/account-registry';
import type { SearchTestResult } from '../../shared/contract/browse-api';
import { type TestRequest, browseRequest } from './browse-request';
import { LISTED_FIELDS, listedFiles } from './listed-file';

const MAX_FILES = 10;

export class SearchTest {
  constructor(
    private readonly RED: NodeAPI,
    private readonly accounts: AccountRegistry,
  ) {}

  /** @param body a {@link TestRequest}. @throws the errors of the node, `invalid_input` for a malformed request */
  async find(id: string, body: unknown, call: CallOptions): Promise<SearchTestResult> {
    const client = this.accounts.client(id);
    const { request, limit } = await this.search(client, browseRequest.test(body), call);
    const max = limit > 0 ? Math.min(limit, MAX_FILES) : MAX_FILES;
    const found: SearchTestResult = { files: [], more: false, incomplete: false };
    try {
      for await (const page of client.search({ ...request, fields: LISTED_FIELDS, limit: max }, call)) {
        found.incomplete ||= page.incompleteSearch;
        found.files.push(...listedFiles(client, page.files));
        found.more = found.files.length > max;
        if (found.more) break;
      }
    } catch (error) {
      // After a timeout, the matches so far are the result.
      if (!isDriveError(error, 'cancelled') || found.files.length === 0) throw error;
      found.incomplete = true;
    }
    return { ...found, files: found.files.slice(0, max) };
  }

  private async search(client: DriveClient, { settings, examples }: TestRequest, call: CallOptions) {
    const config = toConfig(settings);
    const msg = { ...examples, _msgid: '' };
    for (const property of ['folder', 'text'] as const) {
      // The permission to read flows doesn't include expressions, context stores or the environment.
      if (isLiteral(config[`${property}Type`], config[property])) continue;
      Object.assign(config, { [property]: property, [`${property}Type`]: 'msg' });
    }
    const inputs = new Inputs({ RED: this.RED, node: NO_NODE, config, msg, client, call });
    const { request, settings: of } = await readSearch({ config, inputs, msg });
    return { request, limit: of.limit };
  }
}

/** Converts the strings of the editor's fields to the types of the node's properties. */
function toConfig(settings: TestRequest['settings']): typeof SEARCH_DEFAULTS {
  const defaults: [string, unknown][] = Object.entries(SEARCH_DEFAULTS);
  const known = defaults.map(([name, byDefault]) => {
    const given = settings[name] ?? byDefault;
    return [name, typeof byDefault === 'boolean' ? given === true : String(given)];
  });
  return Object.fromEntries(known) as typeof SEARCH_DEFAULTS;
}

/** Literals and message properties are read without a node. */
const NO_NODE = {} as Node;
