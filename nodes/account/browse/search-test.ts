/** Tries what is set in the dialog of search-files, deployed or not: what the node itself would find first. */
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

const MOST = 10;

export class SearchTest {
  constructor(
    private readonly RED: NodeAPI,
    private readonly accounts: AccountRegistry,
  ) {}

  /** @param body of a {@link TestRequest}. @throws what the node would, and before it sends anything `invalid_input` */
  async find(id: string, body: unknown, call: CallOptions): Promise<SearchTestResult> {
    const client = this.accounts.client(id);
    const { request, limit } = await this.search(client, browseRequest.test(body), call);
    const most = limit > 0 ? Math.min(limit, MOST) : MOST;
    const found: SearchTestResult = { files: [], more: false, incomplete: false };
    try {
      for await (const page of client.search({ ...request, fields: LISTED_FIELDS, limit: most }, call)) {
        found.incomplete ||= page.incompleteSearch;
        found.files.push(...listedFiles(client, page.files));
        found.more = found.files.length > most;
        if (found.more) break;
      }
    } catch (error) {
      // It took too long, or nobody waits any more: what was found until then is found.
      if (!isDriveError(error, 'cancelled') || found.files.length === 0) throw error;
      found.incomplete = true;
    }
    return { ...found, files: found.files.slice(0, most) };
  }

  private async search(client: DriveClient, { settings, examples }: TestRequest, call: CallOptions) {
    const config = configOf(settings);
    const msg = { ...examples, _msgid: '' };
    for (const property of ['folder', 'text'] as const) {
      // Expressions, the context and the environment are not for everybody who may look.
      if (isLiteral(config[`${property}Type`], config[property])) continue;
      Object.assign(config, { [property]: property, [`${property}Type`]: 'msg' });
    }
    const inputs = new Inputs({ RED: this.RED, node: NO_NODE, config, msg, client, call });
    const { request, settings: of } = await readSearch({ config, inputs, msg });
    return { request, limit: of.limit };
  }
}

/** As the node has them; the editor's fields are texts. */
function configOf(settings: TestRequest['settings']): typeof SEARCH_DEFAULTS {
  const defaults: [string, unknown][] = Object.entries(SEARCH_DEFAULTS);
  const known = defaults.map(([name, byDefault]) => {
    const given = settings[name] ?? byDefault;
    return [name, typeof byDefault === 'boolean' ? given === true : String(given)];
  });
  return Object.fromEntries(known) as typeof SEARCH_DEFAULTS;
}

/** What is read from messages and typed in needs none. */
const NO_NODE = {} as Node;
