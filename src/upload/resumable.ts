/**
 * A resumable upload: a session, one PUT from the current offset to the end, and after a break the question how much
 * is stored. What the service says then is the truth, whether it is more, less or nothing.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { DriveError, isDriveError } from '../errors';
import type { JsonObject } from '../http/json';
import { type UploadJob, isRepeatable } from './upload-job';
import type { SessionLease } from './session-registry';
import { type Cut, PartSize } from './part-size';
import { type Reply, askStored, isGone, putPart, startSession } from './session-requests';

/** A session that was begun by an earlier run, and the bytes that the service says it holds. */
export interface Standing {
  address: string;
  stored: number;
}

export interface Resumption {
  /** Keeps the session for the next run; undefined where there is nothing to find it by. */
  claim: SessionLease | undefined;
  standing: Standing | undefined;
}

/**
 * @returns the service's answer, the file; undefined where a custom service refuses to start a session
 * @throws what can't be passed within the budget. No error holds the session's address: it is a key.
 */
export async function sendResumable(
  sending: UploadJob,
  resumption: Resumption,
): Promise<JsonObject | undefined> {
  const session = new Session(sending, resumption);
  return sending.drive.engine.retrying((progressed) => session.attempt(progressed), sending.call);
}

/** What a service or a proxy says to a request that it finds too long: RFC 9110 15.5.14. */
const TOO_LARGE = 413;
/** Ends of a request that may come of its length; others, as a rate answer, don't. */
const CUTS = new Set([408, 502, 504]);

class Session {
  private address: string | undefined;
  /** Bytes that the service holds. */
  private stored: number;
  /** Bytes it has ever held: what goes beyond is progress. */
  private most: number;
  /** After a break nobody knows what has arrived. */
  private isUncertain = false;
  /** The last PUT, until the service has said what it has kept of it. */
  private last: { start: number; end: number; cut?: Cut } | undefined;
  private readonly size = new PartSize();

  constructor(
    private readonly sending: UploadJob,
    private readonly resumption: Resumption,
  ) {
    const { standing } = resumption;
    this.address = standing?.address;
    this.stored = this.most = standing?.stored ?? 0;
  }

  async attempt(progressed: () => void): Promise<JsonObject | undefined> {
    this.address ??= await this.start();
    if (this.address === undefined) return undefined;
    if (this.isUncertain) {
      const file = this.note(await this.ask(), progressed);
      if (file) return file;
    }
    for (;;) {
      const before = this.stored;
      const file = this.note(await this.put(progressed), progressed);
      if (file) return file;
      // It took less than it was sent: on from there. If it took nothing, not without waiting.
      if (this.stored <= before) {
        throw new DriveError('service_unavailable', { text: 'service_unavailable_upload', retryable: true });
      }
    }
  }

  private async start(): Promise<string | undefined> {
    const { method, id, resource } = this.sending.destination;
    const address = await startSession(this.sending);
    if (address === undefined) return undefined;
    this.stored = 0;
    this.isUncertain = false;
    const { name } = resource;
    await this.resumption.claim?.keep({
      address,
      method,
      ...(id === undefined ? {} : { id }),
      ...(typeof name === 'string' ? { name } : {}),
    });
    return address;
  }

  /** From what is stored to the end, or as far as one request gets. */
  private async put(progressed: () => void): Promise<Reply> {
    const { content } = this.sending;
    const start = this.stored;
    const end = this.size.end(start, content.length);
    await content.countTo(start);
    const began = this.now;
    this.isUncertain = true;
    this.last = { start, end };
    try {
      return await this.inSession((address) => putPart(this.sending, address, { start, end, progressed }));
    } catch (error) {
      if (!isDriveError(error)) throw error;
      const { status } = error;
      if (status === TOO_LARGE && this.size.refused(end - start)) return this.put(progressed);
      const sent = content.position - start;
      if (isCut(error) && sent > 0) this.last.cut = { sent, took: this.now - began };
      // The range didn't fit, after a replay for one: the service is asked what would.
      if (status !== 400 && status !== 416) throw error;
      const reply = await this.ask();
      if ('stored' in reply && reply.stored === start) throw error;
      return reply;
    }
  }

  private ask(): Promise<Reply> {
    const { drive, content, call } = this.sending;
    return this.inSession((address) => askStored(drive, address, content.length, call));
  }

  private async inSession(work: (address: string) => Promise<Reply>): Promise<Reply> {
    try {
      return await work(this.address ?? '');
    } catch (error) {
      throw isGone(error) ? await this.gone(error.status) : error;
    }
  }

  /** A new session is begun, unless the lost one may have made the file and a second would make another. */
  private async gone(status: number | undefined): Promise<DriveError> {
    const { content, destination } = this.sending;
    const isSafe = isRepeatable(destination) || !content.wasSent;
    this.address = undefined;
    await this.resumption.claim?.forget();
    return new DriveError('service_unavailable', {
      text: isSafe ? 'service_unavailable_session' : 'service_unavailable_outcome',
      params: { status: status ?? 0 },
      ...(status === undefined ? {} : { status }),
      retryable: isSafe,
    });
  }

  private note(reply: Reply, progressed: () => void): JsonObject | undefined {
    this.isUncertain = false;
    if ('file' in reply) return reply.file;
    const { last } = this;
    if (last && reply.stored > last.start) this.size.moved(reply.stored >= last.end);
    else if (last?.cut) this.size.cut(last.cut);
    this.last = undefined;
    this.stored = reply.stored;
    if (reply.stored > this.most) {
      this.most = reply.stored;
      progressed();
    }
    return undefined;
  }

  private get now(): number {
    return this.sending.drive.clock.monotonic();
  }
}

function isCut({ code, status }: DriveError): boolean {
  return status === undefined ? code === 'network' || code === 'timeout' : CUTS.has(status);
}
