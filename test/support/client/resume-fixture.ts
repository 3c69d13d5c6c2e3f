/** Uploads of a file on disk that a process doesn't complete and another one repeats. */
import { utimes } from 'node:fs/promises';
import type { CallOptions, UploadRequest, UploadResult } from '../../../src/index';
import { FakeClock } from '../clock';
import { bytes } from '../content';
import type { ReceivedRequest } from '../http/scripted-service';
import type { StoredFile, UploadService } from '../http/upload-service';
import type { ClientOptions } from './test-client';
import { MemorySessionStore } from './memory-session-store';
import { rejected } from './rejected';
import { type UploadFixture, uploadFixture } from './upload-fixture';

export const CONTENT = bytes(5_100_001);
/** Bytes that the service has stored when the first process ends. */
export const STORED = 2_097_152;
export const CHANGED_AT = new Date('2024-01-02T03:04:05.678Z');

/** True for a PUT with content, false for a status query. */
export const isContentPut = ({ method, headers }: ReceivedRequest): boolean =>
  method === 'PUT' && !headers['content-range']?.startsWith('bytes */');

export function resumeFixture(): ResumeFixture {
  const fixture = new ResumeFixture(uploadFixture());
  beforeEach(() => fixture.setUp());
  return fixture;
}

export class ResumeFixture {
  sessions = new MemorySessionStore();
  clock = new FakeClock();
  /** Path of the file on disk. */
  path = '';
  private requestsCounted = 0;

  constructor(readonly base: UploadFixture) {}

  get service(): UploadService {
    return this.base.service;
  }

  async setUp(): Promise<void> {
    this.sessions = new MemorySessionStore();
    this.clock = new FakeClock();
    this.requestsCounted = 0;
    this.restart();
    await this.writeFile(CONTENT);
  }

  async writeFile(content: Buffer, time = CHANGED_AT): Promise<void> {
    this.path = await this.base.onDisk(content);
    await utimes(this.path, time, time);
  }

  upload(more: Partial<UploadRequest> = {}, call: CallOptions = {}): Promise<UploadResult> {
    return this.base.upload({ path: this.path }, more, call);
  }

  /** Starts a new client that doesn't retry, removes the faults and resets the count of bytes sent. */
  restart(options: ClientOptions = { retryFor: 0 }): void {
    this.base.restart({ uploadSessions: this.sessions, clock: this.clock, ...options });
    this.service.fault = () => undefined;
    this.takeBytesSent();
  }

  /** Runs an upload whose process ends once the service has stored a part of the content. */
  async interruptUpload(more: Partial<UploadRequest> = {}): Promise<void> {
    this.service.fault = (seen) => {
      if (!isContentPut(seen)) return undefined;
      for (const session of this.service.sessions.values()) {
        if (session.content.length === 0) session.content = seen.body.subarray(0, STORED);
      }
      return 'reset';
    };
    await rejected(this.upload(more), 'network');
    this.restart();
  }

  /** Runs an upload that creates the file but doesn't receive the response. */
  async loseResponse(more: Partial<UploadRequest> = {}): Promise<StoredFile> {
    this.service.fault = (seen) => {
      if (isContentPut(seen)) this.service.handle(seen);
      return isContentPut(seen) ? 'reset' : undefined;
    };
    await rejected(this.upload(more), 'network');
    this.restart();
    const file = this.service.files.at(-1);
    if (!file) throw new Error('the upload created no file');
    return file;
  }

  addFile(name: string, id = name): void {
    this.service.files.push({ id, metadata: { name }, mimeType: 'a/b', content: Buffer.from('old') });
  }

  sessionsStarted(): number {
    return this.service.requestsFor('resumable').length;
  }

  /** @returns the bytes of content sent since the last call */
  takeBytesSent(): number {
    const { requests } = this.service.server;
    const puts = requests.slice(this.requestsCounted).filter(isContentPut);
    this.requestsCounted = requests.length;
    return puts.reduce((sum, { body }) => sum + body.length, 0);
  }
}
