/** Uploads whose process ends in the middle. */
import { utimes } from 'node:fs/promises';
import type { Upload, Uploaded } from '../../../src/index';
import { FakeClock } from '../clock';
import { bytes } from '../content';
import { MemorySessions } from './memory-sessions';
import { rejected } from './rejected';
import type { Seen } from '../http/scripted-service';
import { type UploadFixture, uploadFixture } from './upload-fixture';
import type { Stored, UploadService } from '../http/upload-service';

export const CONTENT = bytes(6_000_001);
/** What the service has of it when the process ends. */
export const STORED = 2_097_152;
export const CHANGED_AT = new Date('2024-01-02T03:04:05.678Z');

export const isPut = ({ method, headers }: Seen): boolean =>
  method === 'PUT' && !headers['content-range']?.startsWith('bytes */');

/** For each test an upload of a file on disk whose process ends, and that is run again by another. */
export function resumeFixture(): ResumeFixture {
  const fixture = new ResumeFixture(uploadFixture());
  beforeEach(() => fixture.begin());
  return fixture;
}

export class ResumeFixture {
  sessions = new MemorySessions();
  clock = new FakeClock();
  /** Of the file. */
  path = '';
  private looked = 0;

  constructor(readonly at: UploadFixture) {}

  get service(): UploadService {
    return this.at.service;
  }

  async begin(): Promise<void> {
    this.sessions = new MemorySessions();
    this.clock = new FakeClock();
    this.looked = 0;
    this.restart();
    await this.write(CONTENT);
  }

  async write(what: Buffer, time = CHANGED_AT): Promise<void> {
    this.path = await this.at.onDisk(what);
    await utimes(this.path, time, time);
  }

  run(more: Partial<Upload> = {}): Promise<Uploaded> {
    return this.at.upload({ path: this.path }, more);
  }

  /** Another process; what was sent so far is not looked at again. */
  restart(): void {
    this.at.restart({ uploadSessions: this.sessions, clock: this.clock, retryFor: 0 });
    this.service.fault = () => undefined;
    this.sent();
  }

  /** Ends when the service has a part. */
  async interrupted(more: Partial<Upload> = {}): Promise<void> {
    this.service.fault = (seen) => {
      if (!isPut(seen)) return undefined;
      for (const session of this.service.sessions.values()) {
        if (session.parts.length === 0) session.parts = seen.body.subarray(0, STORED);
      }
      return 'reset';
    };
    await rejected(this.run(more), 'network');
    this.restart();
  }

  /** The file is made, its answer lost. */
  async made(more: Partial<Upload> = {}): Promise<Stored> {
    this.service.fault = (seen) => {
      if (isPut(seen)) this.service.answer(seen);
      return isPut(seen) ? 'reset' : undefined;
    };
    await rejected(this.run(more), 'network');
    this.restart();
    const file = this.service.files.at(-1);
    if (!file) throw new Error('nothing was made');
    return file;
  }

  /** Puts a file on the drive. */
  put(name: string, id = name): void {
    this.service.files.push({ id, resource: { name }, mimeType: 'a/b', content: Buffer.from('old') });
  }

  /** Sessions that were begun. */
  starts(): number {
    return this.service.wire.seen.filter(({ query }) => query.get('uploadType') === 'resumable').length;
  }

  /** Bytes of content that were sent since the last look. */
  sent(): number {
    const news = this.service.wire.seen.slice(this.looked).filter(isPut);
    this.looked = this.service.wire.seen.length;
    return news.reduce((sum, { body }) => sum + body.length, 0);
  }
}
