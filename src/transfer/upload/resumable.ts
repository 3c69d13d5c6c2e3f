/**
 * Resumable upload: starts a session, sends one PUT from the current offset to the end, and after an interruption asks
 * the service how many bytes it has stored. The service's count always wins, whether it is higher or lower than ours.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { DriveError, isDriveError } from '../../errors';
import type { JsonObject } from '../../core/validator';
import {
  type SessionStatus,
  isSessionExpired,
  putRange,
  queryStatus,
  startSession,
} from './session-requests';
import { type SessionAttempt, isIdempotent } from './upload-job';

/**
 * @returns the file as the service describes it; undefined if a custom service refuses to start a session
 * @throws once the retry budget is used up. No error contains the session URL, which grants write access.
 */
export async function sendResumable(attempt: SessionAttempt): Promise<JsonObject | undefined> {
  const session = new UploadSession(attempt);
  return attempt.drive.engine.retry(() => session.run(), attempt.call);
}

/** RFC 9110 15.5.14: a service or a proxy refuses the length of the request. */
const CONTENT_TOO_LARGE = 413;
/** Responses of proxies that end a long request at a time limit. */
const TIME_LIMIT_STATUSES = new Set([408, 502, 504]);

class UploadSession {
  private sessionUrl: string | undefined;
  /** Bytes that the service has confirmed. */
  private stored = 0;
  /** The most bytes it has ever confirmed; only a higher count is progress. */
  private maxStored: number;
  /** True after an interruption, when it is unknown how much of the last PUT has arrived. */
  private isStoredUnknown = false;
  /** The last PUT, until the service confirms what it has stored of it. */
  private lastPut: { start: number; end: number; interruption?: Interruption } | undefined;
  private readonly partSize = new AdaptivePartSize();

  constructor(private readonly attempt: SessionAttempt) {
    const { resumeState } = attempt;
    if (resumeState && 'stored' in resumeState) {
      this.sessionUrl = resumeState.sessionUrl;
      this.stored = resumeState.stored;
    }
    this.maxStored = this.stored;
  }

  /** Sends until the file is complete; throws at an interruption, and continues from there when called again. */
  async run(): Promise<JsonObject | undefined> {
    this.sessionUrl ??= await this.start();
    if (this.sessionUrl === undefined) return undefined;
    if (this.isStoredUnknown) {
      const file = this.update(await this.query());
      if (file) return file;
    }
    for (;;) {
      const before = this.stored;
      const file = this.update(await this.sendOrAsk());
      if (file) return file;
      // The service may store less than it was sent. If it stores nothing at all, wait before the next request.
      if (this.stored <= before) {
        throw new DriveError('service_unavailable', { text: 'service_unavailable_upload', retryable: true });
      }
    }
  }

  private async start(): Promise<string | undefined> {
    const { target, lease } = this.attempt;
    const sessionUrl = await startSession(this.attempt);
    if (sessionUrl === undefined) return undefined;
    this.stored = 0;
    this.isStoredUnknown = false;
    const { method, id, metadata } = target;
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : undefined;
    await lease?.save({ sessionUrl, method, id, name });
    return sessionUrl;
  }

  /** Once the service has all bytes, nothing is left to send, but it may still be creating the file. */
  private sendOrAsk(): Promise<SessionStatus> {
    return this.stored === this.attempt.body.length ? this.query() : this.put();
  }

  /** Sends from the stored offset to the end, or as much as one request may contain. */
  private async put(): Promise<SessionStatus> {
    const { body } = this.attempt;
    const start = this.stored;
    const end = await body.prepare(start, this.partSize.end(start, body.length ?? Infinity));
    const startedAt = this.now;
    this.isStoredUnknown = true;
    this.lastPut = { start, end };
    try {
      return await this.inSession((sessionUrl) => putRange(this.attempt, sessionUrl, { start, end }));
    } catch (error) {
      if (!isDriveError(error)) throw error;
      const { status } = error;
      if (status === CONTENT_TOO_LARGE && this.partSize.tooLarge(end - start)) return this.put();
      const bytesSent = body.position - start;
      if (isInterruption(error) && bytesSent > 0) {
        this.lastPut.interruption = { bytesSent, elapsed: this.now - startedAt };
      }
      // The range doesn't match what is stored, for example after a replayed request: ask for the current offset.
      if (status !== 400 && status !== 416) throw error;
      const current = await this.query();
      if ('stored' in current && current.stored === start) throw error;
      return current;
    }
  }

  private query(): Promise<SessionStatus> {
    const { drive, body, call } = this.attempt;
    return this.inSession((sessionUrl) =>
      queryStatus(drive, { sessionUrl, total: body.length, end: body.end }, call),
    );
  }

  private async inSession(request: (sessionUrl: string) => Promise<SessionStatus>): Promise<SessionStatus> {
    try {
      return await request(this.sessionUrl ?? '');
    } catch (error) {
      throw isSessionExpired(error) ? await this.expire(error.status) : error;
    }
  }

  /**
   * The retry starts a new session, unless the expired one may have created the file and a second would duplicate it.
   */
  private async expire(status: number | undefined): Promise<DriveError> {
    const { body, target, lease } = this.attempt;
    const isRepeatable = body.released === 0;
    const retryable = isRepeatable && (isIdempotent(target) || !body.wasSent);
    this.sessionUrl = undefined;
    await lease?.forget();
    return new DriveError('service_unavailable', {
      text: retryable || !isRepeatable ? 'service_unavailable_session' : 'service_unavailable_outcome',
      status,
      retryable,
    });
  }

  /** @returns the file once it is complete */
  private update(current: SessionStatus): JsonObject | undefined {
    this.isStoredUnknown = false;
    if ('file' in current) return current.file;
    this.checkAvailable(current.stored);
    const { lastPut } = this;
    if (lastPut && current.stored > lastPut.start) this.partSize.stored(current.stored >= lastPut.end);
    else if (lastPut?.interruption) this.partSize.interrupted(lastPut.interruption);
    this.lastPut = undefined;
    this.stored = current.stored;
    if (current.stored > this.maxStored) {
      this.maxStored = current.stored;
      this.attempt.call.budget.restart();
    }
    return undefined;
  }

  /** The bytes of a stream are released when they are stored. A service that has lost them may find them again. */
  private checkAvailable(stored: number): void {
    if (stored >= this.attempt.body.released) return;
    this.isStoredUnknown = true;
    throw new DriveError('service_unavailable', { text: 'service_unavailable_upload', retryable: true });
  }

  private get now(): number {
    return this.attempt.drive.clock.monotonic();
  }
}

function isInterruption({ code, status }: DriveError): boolean {
  return status === undefined ? code === 'network' || code === 'timeout' : TIME_LIMIT_STATUSES.has(status);
}

/** Bytes. Every request of a session but the last sends a multiple of this. */
const UNIT = 256 * 1024;
/** Interruptions in a row without progress before parts are used. A single one may be an unplugged cable. */
const MAX_INTERRUPTIONS = 2;
/** Bytes of a part after a 413; the limits of most proxies are below this. */
const SIZE_AFTER_REFUSAL = 8 * 1024 * 1024;
/** ms that the first part should take, well within the time limits of proxies. */
const FIRST_PART_DURATION = 4_000;
/** Number of successful parts before a size that failed is retried. */
const PARTS_BEFORE_GROWTH = 16;

/** A request that was cut off. */
interface Interruption {
  bytesSent: number;
  /** ms */
  elapsed: number;
}

/**
 * How much of an upload goes into one request: everything that remains, which costs no round trips, until something on
 * the way turns out to cut off long requests so that nothing of them is stored. Then parts in multiples of 256 KiB.
 */
export class AdaptivePartSize {
  private interruptions = 0;
  private size = Infinity;
  /** The smallest size that failed; parts stay below it. */
  private failedSize = Infinity;
  private successes = 0;

  /** @param total Infinity if unknown. @returns the end of the request that starts at `start` */
  end(start: number, total: number): number {
    return Math.min(total, start + this.size);
  }

  /** A request was cut off and the service has stored nothing of it. */
  interrupted({ bytesSent, elapsed }: Interruption): void {
    this.successes = 0;
    if (this.size !== Infinity) {
      this.failedSize = this.size;
      this.size = wholeUnits(this.size / 2);
    } else if (++this.interruptions >= MAX_INTERRUPTIONS) {
      const sizeInTime = elapsed > 0 ? (bytesSent * FIRST_PART_DURATION) / elapsed : bytesSent;
      this.size = wholeUnits(Math.min(sizeInTime, bytesSent / 2));
    }
  }

  /** A request was refused because of its length. @returns false if it can't be shorter */
  tooLarge(length: number): boolean {
    if (length <= UNIT) return false;
    this.successes = 0;
    this.failedSize = length;
    this.size = wholeUnits(Math.min(SIZE_AFTER_REFUSAL, length / 2));
    return true;
  }

  /** The service has stored the last request, or part of it. */
  stored(isComplete: boolean): void {
    this.interruptions = 0;
    if (!isComplete) return;
    if (++this.successes >= PARTS_BEFORE_GROWTH) this.failedSize = Infinity;
    if (this.size * 2 < this.failedSize) this.size *= 2;
  }
}

export function wholeUnits(bytes: number): number {
  return Math.max(UNIT, Math.floor(bytes / UNIT) * UNIT);
}
