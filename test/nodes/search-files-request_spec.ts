/** The requests that a search-files node, and the search test in its dialog, send to the client. */
import type { Node, NodeAPI } from 'node-red';
import should from 'should';
import { testSearch } from '../../nodes/search-files/search-test';
import { DEFAULTS } from '../../nodes/search-files/search-files.defaults';
import { Inputs } from '../../nodes/shared/runtime/inputs';
import { readSearch } from '../../nodes/search-files/search-request';
import { CAPABILITIES } from '../../src/capabilities';
import type { DriveClient, SearchRequest } from '../../src/index';

/** A client that records the requests and finds nothing. */
function recordingClient(): { client: DriveClient; requests: SearchRequest[] } {
  const requests: SearchRequest[] = [];
  const search = (request: SearchRequest) => {
    requests.push(request);
    return [];
  };
  const client = { service: { can: CAPABILITIES.google }, rootId: 'root', search } as unknown as DriveClient;
  return { client, requests };
}

/** Literals are all that this spec configures. */
const RED = {
  settings: {},
  util: {
    evaluateNodeProperty: (
      value: unknown,
      _type: string,
      _node: Node,
      _msg: object,
      done: (e: null, v: unknown) => void,
    ) => done(null, value),
  },
} as unknown as NodeAPI;
const SETTINGS = { folder: 'f', folderType: 'str', text: 't', textType: 'str' };

describe('readSearch', () => {
  const read = async (more: object): Promise<SearchRequest> => {
    const config = { ...DEFAULTS, ...SETTINGS, ...more };
    const msg = { _msgid: '1' };
    const { client } = recordingClient();
    const inputs = new Inputs({ RED, node: {} as Node, config, msg, client, call: {} });
    return (await readSearch({ client, config, inputs, msg })).request;
  };

  for (const sort of ['newest', 'oldest', 'name', 'largest']) {
    it(`readSearch passes the limit of a search sorted by ${sort} to the client`, async () => {
      should(await read({ sort, limit: '3' })).containEql({ sort, limit: 3 });
    });
  }

  it('readSearch passes all filters of the node to the client', async () => {
    const request = await read({
      match: 'glob',
      kind: 'any',
      caseSensitive: true,
      includeTrashed: true,
      recursive: true,
      maxDepth: 2,
      minSize: 5,
      maxSize: '6',
      mimeType: ' image/* ',
      modifiedAfter: '2026-11-20T00:00:00Z',
      modifiedBefore: '2026-11-21T00:00:00Z',
      orderBy: 'name',
      fields: 'id',
    });
    should(request).eql({
      where: undefined,
      query: undefined,
      folderId: 'f',
      text: 't',
      textProperty: 'text',
      match: 'glob',
      kind: 'any',
      caseSensitive: true,
      includeTrashed: true,
      recursive: true,
      maxDepth: 2,
      minSize: 5,
      maxSize: 6,
      mimeType: 'image/*',
      modifiedAfter: Date.parse('2026-11-20T00:00:00Z'),
      modifiedBefore: Date.parse('2026-11-21T00:00:00Z'),
      orderBy: 'name',
      fields: 'id',
      limit: undefined,
      sort: undefined,
    });
  });
});

describe('testSearch', () => {
  for (const [limit, expected] of [
    ['3', 3],
    ['0', 10],
    ['', 10],
    ['50', 10],
  ] as const) {
    it(`testSearch requests ${expected} sorted files with a limit of ${JSON.stringify(limit)}`, async () => {
      const { client, requests } = recordingClient();
      const settings = { ...SETTINGS, recursive: true, sort: 'newest', limit };
      should(await testSearch(RED, client, { settings }, {})).eql({
        files: [],
        more: false,
        incomplete: false,
      });
      should(requests).have.length(1);
      should(requests[0]).containEql({ sort: 'newest', recursive: true, limit: expected });
    });
  }
});
