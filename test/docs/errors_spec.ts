/** The page of the errors: each code of the package is on it, with causes and remedies, and each is seen to happen here. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import 'should';
import type { ErrorCode } from '../../src/index';
import type { LocalDrive } from '../local-drive';
import { CREDENTIALS } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { type LoadOptions, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { readDocument } from './markdown';

interface Happening {
  node: string;
  settings?: Record<string, unknown>;
  options?: Omit<LoadOptions, 'url'>;
  /** What has to be there or to go wrong first. @returns the message that fails */
  arrange?: (drive: LocalDrive, folder: string) => Promise<Record<string, unknown>>;
}

/** Ends the waits of a test's drive. */
let over: (() => void)[] = [];
const untilOver = (): Promise<void> => new Promise((resolve) => over.push(resolve));

/** Nothing is tried again: the test is about the end of it. */
const AT_ONCE = { account: { retryFor: 0 } };

const add = (drive: LocalDrive, content = 'content'): Promise<string> =>
  drive.files.add({ name: 'a.txt', content });
const refused = (reason: string, status: number): Happening => ({
  ...{ node: 'about', options: AT_ONCE },
  arrange: (drive) => {
    drive.faults.add({ kind: 'error', reason, status, match: { path: 'about' } });
    return Promise.resolve({});
  },
});

/** A code without a way to see it does not compile. */
const SEEN: Record<ErrorCode, Happening> = {
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
  permission_denied: refused('accessNotConfigured', 403),
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
  rate_limited: refused('rateLimitExceeded', 429),
  quota_exceeded: refused('storageQuotaExceeded', 403),
  service_unavailable: refused('backendError', 503),
  network: {
    ...{ node: 'about', options: AT_ONCE },
    arrange: (drive) => {
      drive.faults.add({ kind: 'reset', match: { path: 'about' }, times: 9 });
      return Promise.resolve({});
    },
  },
  timeout: {
    ...{ node: 'about', options: { account: { retryFor: 0, timeout: 0.05 } } },
    arrange: (drive) => {
      drive.faults.add({ kind: 'delay', until: untilOver(), match: { path: 'about' } });
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
    ...{ node: 'download', options: AT_ONCE },
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
      drive.faults.add({ kind: 'delay', until: untilOver(), match: { path: 'about' } });
      return Promise.resolve({});
    },
  },
  partial_failure: {
    node: 'delete',
    arrange: async (drive) => ({ payload: [await add(drive), 'not-there'] }),
  },
};

describe('the page of the errors', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'errors-'));
    await writeFile(path.join(folder, 'there'), '');
  });
  afterEach(async () => {
    for (const end of over) end();
    over = [];
    await rm(folder, { recursive: true, force: true });
  });

  it('has each code, in the order of the package, and then nothing that is no code', async () => {
    const { headings } = await readDocument('docs/errors.md');
    headings.filter((heading) => /^[a-z_]+$/.test(heading)).should.eql(Object.keys(SEEN));
  });

  it('says of each what may have happened, and what to do then', async () => {
    const { tables } = await readDocument('docs/errors.md');
    tables.should.have.length(Object.keys(SEEN).length);
    for (const { head, rows } of tables) {
      head.should.eql(['what happened', 'what to do']);
      rows.length.should.be.above(0);
      for (const row of rows) row.every((cell) => cell.length > 3).should.be.true();
    }
  });

  for (const [code, { node, settings, options, arrange }] of Object.entries(SEEN)) {
    it(`${code} is what a node gives to Catch`, async () => {
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
