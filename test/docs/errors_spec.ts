/** docs/errors.md lists each error code with causes and remedies, and each error can be reproduced. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import 'should';
import type { ErrorCode } from '../../src/index';
import type { LocalDrive } from '../local-drive';
import { CREDENTIALS } from '../support/node-red/account';
import { ROOT } from '../support/node-red/built-package';
import { useDrive } from '../support/node-red/flow-drive';
import { type LoadOptions, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { readDocument } from './markdown';

interface Scenario {
  node: string;
  settings?: Record<string, unknown>;
  options?: Omit<LoadOptions, 'url'>;
  /** Prepares the drive. @returns the message that fails */
  arrange?: (drive: LocalDrive, folder: string) => Promise<Record<string, unknown>>;
}

const { status: STATUS } = JSON.parse(
  readFileSync(path.join(ROOT, 'nodes/account/locales/en-US/account.json'), 'utf8'),
) as { status: Record<ErrorCode, string> };

/** Releases the delayed responses of a test. */
let releases: (() => void)[] = [];
const untilTestEnds = (): Promise<void> => new Promise((resolve) => releases.push(resolve));

/** Retries don't change the error. */
const NO_RETRIES = { account: { retryFor: 0 } };

const add = (drive: LocalDrive, content = 'content'): Promise<string> =>
  drive.files.add({ name: 'a.txt', content });
const rejected = (reason: string, status: number): Scenario => ({
  ...{ node: 'about', options: NO_RETRIES },
  arrange: (drive) => {
    drive.faults.add({ kind: 'error', reason, status, match: { path: 'about' } });
    return Promise.resolve({});
  },
});

/** The type requires a scenario for each code. */
const SCENARIOS: Record<ErrorCode, Scenario> = {
  not_configured: { node: 'about', settings: { account: '' } },
  sign_in_required: {
    node: 'about',
    options: {
      credentials: { account: { clientId: CREDENTIALS.clientId, clientSecret: CREDENTIALS.clientSecret } },
    },
  },
  insecure_url: { node: 'about', options: { account: { baseUrl: 'http://drive.example' } } },
  invalid_input: { node: 'delete', arrange: () => Promise.resolve({ payload: undefined }) },
  not_found: { node: 'download', arrange: () => Promise.resolve({ payload: 'not-there' }) },
  permission_denied: rejected('accessNotConfigured', 403),
  not_downloadable: {
    node: 'download',
    arrange: async (drive) => ({ payload: await drive.files.addFolder('folder') }),
  },
  conflict: {
    ...{ node: 'upload', settings: { ifExists: 'error' } },
    arrange: async (drive) => {
      await add(drive);
      return { payload: 'x', filename: 'a.txt' };
    },
  },
  rate_limited: rejected('rateLimitExceeded', 429),
  quota_exceeded: rejected('storageQuotaExceeded', 403),
  service_unavailable: rejected('backendError', 503),
  network: {
    ...{ node: 'about', options: NO_RETRIES },
    arrange: (drive) => {
      drive.faults.add({ kind: 'reset', match: { path: 'about' }, times: 9 });
      return Promise.resolve({});
    },
  },
  timeout: {
    ...{ node: 'about', options: { account: { retryFor: 0, timeout: 0.05 } } },
    arrange: (drive) => {
      drive.faults.add({ kind: 'delay', until: untilTestEnds(), match: { path: 'about' } });
      return Promise.resolve({});
    },
  },
  bad_response: {
    node: 'about',
    arrange: (drive) => {
      const body = '<html>Please log in</html>';
      drive.faults.add({
        kind: 'response',
        headers: { 'Content-Type': 'text/html' },
        body,
        match: { path: 'about' },
      });
      return Promise.resolve({});
    },
  },
  checksum_mismatch: {
    ...{ node: 'download', options: NO_RETRIES },
    arrange: async (drive) => {
      drive.faults.add({ kind: 'corrupt', at: 2, match: { query: 'alt=media' }, times: 9 });
      return { payload: await add(drive) };
    },
  },
  local_file: {
    ...{ node: 'upload', settings: { source: 'file' } },
    arrange: (_, folder) => Promise.resolve({ filename: path.join(folder, 'not-there') }),
  },
  too_large: {
    ...{ node: 'download', settings: { maxSize: 0.000_001 } },
    arrange: async (drive) => ({ payload: await add(drive) }),
  },
  cancelled: {
    node: 'about',
    arrange: (drive) => {
      drive.faults.add({ kind: 'delay', until: untilTestEnds(), match: { path: 'about' } });
      return Promise.resolve({});
    },
  },
  partial_failure: {
    node: 'delete',
    arrange: async (drive) => ({ payload: [await add(drive), 'not-there'] }),
  },
  outdated: {
    ...{ node: 'restore', settings: { action: 'check', maxAge: 24, folder: '' } },
    arrange: () => Promise.resolve({}),
  },
};

describe('docs/errors.md', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'errors-'));
    await writeFile(path.join(folder, 'there'), '');
  });
  afterEach(async () => {
    for (const release of releases) release();
    releases = [];
    await rm(folder, { recursive: true, force: true });
  });

  it('docs/errors.md has a section for each code, in the order of the package', async () => {
    const { headings } = await readDocument('docs/errors.md');
    headings.filter((heading) => /^[a-z_]+$/.test(heading)).should.eql(Object.keys(SCENARIOS));
  });

  it('docs/errors.md has causes and remedies for each code', async () => {
    const { tables } = await readDocument('docs/errors.md');
    tables.should.have.length(Object.keys(SCENARIOS).length);
    for (const { head, rows } of tables) {
      head.should.eql(['cause', 'solution']);
      rows.length.should.be.above(0);
      for (const row of rows) row.every((cell) => cell.length > 3).should.be.true();
    }
  });

  it('docs/errors.md says which status belongs to each code', async () => {
    const { text } = await readDocument('docs/errors.md');
    for (const code of Object.keys(SCENARIOS) as ErrorCode[])
      text.should.containEql(`\n## ${code}\n\nStatus: _${STATUS[code]}_`);
  });

  it('docs/errors.md names the errors that users search for as Google does', async () => {
    const { inlineCode } = await readDocument('docs/errors.md');
    inlineCode.should.containDeep([
      ...['invalid_client', 'invalid_grant', 'access_denied', 'redirect_uri_mismatch'],
      ...['accessNotConfigured', 'storageQuotaExceeded', 'rateLimitExceeded', 'cannotDownloadAbusiveFile'],
    ]);
  });

  for (const [code, { node, settings, options, arrange }] of Object.entries(SCENARIOS)) {
    it(`a node gives ${code} to Catch`, async () => {
      drive().faults.clear();
      const own = { id: 'n', type: `cloud-drive-${node}`, ...settings };
      const flow = await load([own], { url: drive().url, ...options });
      const msg = (await arrange?.(drive(), folder)) ?? {};
      const ending = flow.run('n', msg);
      if (code === 'cancelled') await cancel(flow, drive());
      const { sent, error } = await ending;
      sent.should.be.empty();
      String(error?.cause?.code).should.equal(code);
    });
  }
});

async function cancel(flow: LoadedFlow, drive: LocalDrive): Promise<void> {
  await drive.traffic.until(() => drive.requests.to('GET', /about/).length > 0);
  await flow.run('n', { cancel: true });
}
