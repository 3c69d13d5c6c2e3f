import { tmpdir } from 'node:os';
import { CAPABILITIES } from '../../../src/capabilities';
import { createDriveContext } from '../../../src/drive/drive-context';
import { IdPool } from '../../../src/drive/idempotent-create';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { Semaphore } from '../../../src/core/semaphore';
import { NameLock } from '../../../src/drive/name-lock';
import { RootFolder } from '../../../src/drive/root-folder';
import { RequestEngine } from '../../../src/http/engine';
import type { Observe } from '../../../src/http/observer';
import type { CallOptions, DriveFile, Service } from '../../../src/types';
import { ServiceChecksums } from '../../../src/transfer/upload/upload-job';
import { SessionRegistry } from '../../../src/transfer/upload/session-registry';
import type { UploadContext } from '../../../src/transfer/upload/upload';
import { type StreamUploadRequest, uploadStream } from '../../../src/transfer/upload/upload-stream';
import type { DriveFixture } from './drive-fixture';
import { staticTokens } from './test-client';

type ObservedFixture = DriveFixture & { observe?: Observe };

/** What uploads to the local drive of a fixture share. */
export function uploadContext(
  { drive: { url }, http, clock, observe }: ObservedFixture,
  kind: keyof typeof CAPABILITIES = 'google',
): UploadContext {
  const service: Service = {
    can: CAPABILITIES[kind],
    baseUrl: url,
    uploadUrl: url,
    folderMimeType: 'application/vnd.google-apps.folder',
    driveId: '',
  };
  const options = { http, service, tokens: staticTokens, clock, observe, random: () => 0.5 };
  const engine = new RequestEngine({ ...options, retryFor: 60_000, requestsPerSecond: 1_000 });
  const drive = createDriveContext({ engine, service, bandwidth: new BandwidthLimiter(0, clock), clock });
  return {
    drive,
    idPool: new IdPool(drive),
    checksums: new ServiceChecksums(),
    transfers: new Semaphore(1),
    nameLock: new NameLock(new RootFolder(drive)),
    sessions: new SessionRegistry(undefined, clock),
  };
}

/** Uploads a stream to the local drive of a fixture. */
export function uploadStreamTo(
  fixture: ObservedFixture,
  request: Partial<StreamUploadRequest> & Pick<StreamUploadRequest, 'content'>,
  call: CallOptions = {},
  kind?: keyof typeof CAPABILITIES,
): Promise<DriveFile> {
  const target = {
    name: () => 'archive.tar',
    folderId: '',
    mimeType: 'application/x-tar',
    metadata: () => ({}),
  };
  const defaults = { ...target, fields: 'id,name,size,md5Checksum', temporaryFolder: tmpdir() };
  return uploadStream(uploadContext(fixture, kind), { ...defaults, ...request }, call);
}

/** A stream of `content` in chunks of a buffer that is overwritten for each, as the streams of archives are. */
export async function* inReusedMemory(content: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(size);
  for (let position = 0; position < content.length; position += size) {
    const copied = content.copy(buffer, 0, position);
    await new Promise(setImmediate);
    yield buffer.subarray(0, copied);
    buffer.fill(0xff);
  }
}
