/**
 * The resumable protocol: a session, one PUT from the current offset to the end, and after a break the question how
 * much is stored. Chunks would only cost a round trip each.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { DriveError, isDriveError } from '../errors';
import { isUnknownRequest } from '../files/drive';
import type { HttpResponse } from '../http/http-client';
import { type JsonObject, badAnswer, discard } from '../http/json';
import { contentRange, parseStored, statusRange } from '../http/ranges';
import { type Sending, isRepeatable, uploadAddress, uploadQuery } from './destination';
import { readObject } from './multipart';
import { sessionAddress } from './session-address';

/** What the service says to a PUT: the finished file, or how many bytes it holds. */
type Reply = { file: JsonObject } | { stored: number };

/**
 * @returns the service's answer, the file; undefined where a custom service refuses to start a session
 * @throws what can't be passed within the budget. No error holds the session's address: it is a key.
 */
export async function sendResumable(sending: Sending): Promise<JsonObject | undefined> {
  const session = new Session(sending);
  return sending.drive.engine.retrying((progressed) => session.attempt(progressed), sending.call);
}

class Session {
  private address: string | undefined;
  /** Bytes that the service holds. */
  private stored = 0;
  /** Bytes it has ever held: what goes beyond is progress. */
  private most = 0;
  /** After a break nobody knows what has arrived. */
  private isUncertain = false;

  constructor(private readonly sending: Sending) {}

  async attempt(progressed: () => void): Promise<JsonObject | undefined> {
    if (this.address === undefined && !(await this.start())) return undefined;
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

  /** @returns false where a custom service knows no sessions */
  private async start(): Promise<boolean> {
    const { drive, destination, content, call } = this.sending;
    const url = uploadAddress(drive, destination);
    try {
      this.address = await drive.engine.once(
        {
          method: destination.method,
          url,
          query: uploadQuery(drive, 'resumable', destination.fields),
          headers: {
            'Content-Type': 'application/json; charset=UTF-8',
            'X-Upload-Content-Type': destination.mimeType,
            'X-Upload-Content-Length': String(content.length),
          },
          body: JSON.stringify(destination.resource),
        },
        call,
        ({ headers, body }) => {
          discard(body);
          return Promise.resolve(sessionAddress(headers['location'], url));
        },
      );
    } catch (error) {
      const isRefused = isDriveError(error) && isUnknownRequest(error.status);
      if (drive.service.kind === 'custom' && isRefused) return false;
      throw error;
    }
    this.stored = 0;
    this.isUncertain = false;
    return true;
  }

  /** From what is stored to the end. */
  private async put(progressed: () => void): Promise<Reply> {
    const { content } = this.sending;
    const start = this.stored;
    const range = contentRange({ start, end: content.length, total: content.length });
    this.isUncertain = true;
    try {
      return await this.send({ 'Content-Range': range }, content.from(start, progressed));
    } catch (error) {
      // The range didn't fit, after a replay for one: the service is asked what would.
      if (!isDriveError(error) || ![400, 416].includes(error.status ?? 0)) throw error;
      const reply = await this.ask();
      if ('stored' in reply && reply.stored === start) throw error;
      return reply;
    }
  }

  private ask(): Promise<Reply> {
    const range = statusRange(this.sending.content.length);
    return this.send({ 'Content-Range': range, 'Content-Length': '0' });
  }

  private async send(
    headers: Record<string, string>,
    body?: ReturnType<Sending['content']['from']>,
  ): Promise<Reply> {
    const { drive, content, call } = this.sending;
    const url = this.address ?? '';
    const request = { method: 'PUT' as const, url, headers, answers: [308], ...(body ? { body } : {}) };
    try {
      return await drive.engine.once(request, call, (response) => readReply(response, content.length));
    } catch (error) {
      if (isDriveError(error) && (error.status === 404 || error.status === 410))
        throw this.gone(error.status);
      throw error;
    }
  }

  /** A new session is begun, unless the lost one may have made the file and a second would make another. */
  private gone(status: number): DriveError {
    const { content, destination } = this.sending;
    const isSafe = isRepeatable(destination) || !content.wasSent;
    this.address = undefined;
    return new DriveError('service_unavailable', {
      text: isSafe ? 'service_unavailable_session' : 'service_unavailable_outcome',
      params: { status },
      status,
      retryable: isSafe,
    });
  }

  private note(reply: Reply, progressed: () => void): JsonObject | undefined {
    this.isUncertain = false;
    if ('file' in reply) return reply.file;
    this.stored = reply.stored;
    if (reply.stored > this.most) {
      this.most = reply.stored;
      progressed();
    }
    return undefined;
  }
}

async function readReply(response: HttpResponse, total: number): Promise<Reply> {
  if (response.status !== 308) return { file: await readObject(response) };
  discard(response.body);
  const stored = parseStored(response.headers['range']);
  if (stored === undefined || stored > total) throw badAnswer('bad_response_type', { member: 'Range' });
  return { stored };
}
