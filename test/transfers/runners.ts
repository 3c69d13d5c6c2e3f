/** Run the transfers of the fault matrix with the client, or with nodes in Node-RED. */
import helper from 'node-red-node-test-helper';
import type { Content } from '../../src/index';
import { createTestClient } from '../support/client/test-client';
import { FakeClock, replaceSystemClock, restoreSystemClock } from '../support/clock';
import { PLAIN_UPLOAD } from '../support/client/drive-fixture';
import { type Ending, load } from '../support/node-red/load';
import type { TransferEnv } from './transfer-env';

/** Failures throw an error with a `code`. */
export interface TransferRunner {
  /** @returns the file's id */
  upload(content: Content, folderId: string): Promise<string>;
  downloadToDisk(id: string, path: string): Promise<void>;
  downloadToMemory(id: string): Promise<Buffer>;
  close(): Promise<void>;
}

export type OpenRunner = (env: TransferEnv) => Promise<TransferRunner>;

export const openClientRunner: OpenRunner = (env) => {
  const { client, http } = createTestClient(env.drive.url);
  const request = { fields: 'id', acknowledgeAbuse: false };
  return Promise.resolve({
    upload: async (content, folderId) =>
      (await client.upload({ ...PLAIN_UPLOAD, content, folderId })).file.id,
    downloadToDisk: async (id, path) =>
      void (await client.downloadToDisk({ ...request, id, path, overwrite: 'replace' })),
    downloadToMemory: async (id) => (await client.downloadToMemory({ ...request, id, maxSize: 1e9 })).content,
    close: () => Promise.resolve(http.close()),
  });
};

const FLOW = [
  { id: 'from-disk', type: 'cloud-drive-upload', source: 'file', targetName: 'backup.tar' },
  { id: 'from-memory', type: 'cloud-drive-upload', source: 'payload', targetName: 'backup.tar' },
  { id: 'to-disk', type: 'cloud-drive-download', output: 'file' },
  { id: 'to-memory', type: 'cloud-drive-download', output: 'buffer' },
];

/** Requires Node-RED's test helper and {@link useFakeClock}. */
export const openNodeRunner: OpenRunner = async (env) => {
  const flow = await load(FLOW, { url: env.drive.url, service: 'google' });
  return {
    upload: async (content, folderId) => {
      const ending =
        'path' in content
          ? await flow.run('from-disk', { filename: content.path, folderId })
          : await flow.run('from-memory', { payload: 'data' in content && content.data, folderId });
      return (payloadOf(ending) as { id: string }).id;
    },
    downloadToDisk: async (id, filename) =>
      void payloadOf(await flow.run('to-disk', { payload: id, filename })),
    downloadToMemory: async (id) => payloadOf(await flow.run('to-memory', { payload: id })) as Buffer,
    close: () => helper.unload(),
  };
};

function payloadOf({ sent, error }: Ending): unknown {
  if (error) throw Object.assign(new Error(error.message), { code: error.cause?.code });
  return sent[0]?.payload;
}

/** Lets all waits of this process's accounts end immediately during a suite. */
export function useFakeClock(): void {
  before(() => replaceSystemClock(new FakeClock()));
  after(restoreSystemClock);
}
