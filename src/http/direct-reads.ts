/**
 * Large answers, taken from the buffer that their connection reads into: see reading-agents. Behind the headers of an
 * answer that says its length there is nothing to parse: RFC 9112 6.3.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { ByteSink } from './byte-sink';

/** Bytes that have to be left: the connection can't be used again, and a new one takes its time. */
const WORTHWHILE = 1024 * 1024;

class DirectRead {
  /** Bytes of the body that have not been given yet. */
  private left: number;
  private hasBegun = false;
  isHeld = false;

  constructor(
    private readonly body: IncomingMessage,
    private readonly to: ByteSink,
    length: number,
  ) {
    this.left = length;
    // What the parser still gives is given to the same by who reads the stream.
    body.on('data', (piece: Buffer) => (this.left -= piece.length));
  }

  /** Nothing that came before waits in the stream, and it is worth its price. */
  get isDue(): boolean {
    const { readableFlowing, readableLength } = this.body;
    return this.hasBegun || (readableFlowing === true && readableLength === 0 && this.left >= WORTHWHILE);
  }

  /** @returns whether more may be read now */
  take(read: Buffer): boolean {
    const { body } = this;
    if (body.destroyed) return false;
    this.hasBegun = true;
    const piece = read.subarray(0, this.left);
    this.left -= piece.length;
    const wantsMore = this.to.write(piece);
    if (body.destroyed) return false;
    if (this.left === 0) return this.end();
    // Over TLS more may come of what was read already.
    if (!wantsMore && !this.isHeld) void this.hold();
    return wantsMore;
  }

  /** The parser still waits for what it has not seen: its connection ends with the answer. */
  private end(): false {
    const { body } = this;
    body.complete = true;
    body.push(null);
    body.socket.destroy();
    return false;
  }

  private async hold(): Promise<void> {
    this.isHeld = true;
    await this.to.drained();
    this.isHeld = false;
    const { socket } = this.body;
    // Silence begins now: until here nothing was to come.
    socket.setTimeout(socket.timeout ?? 0);
    socket.resume();
  }
}

/** Of each connection whose answer has a taker. */
const reads = new WeakMap<Duplex, DirectRead>();

/**
 * Gives an answer's body to a taker without the parser, where that is possible and worthwhile: then the stream gives
 * nothing, but ends or fails as it would have. Whoever calls this gives the taker what the stream does give.
 */
export function readDirectly(body: Readable, to: ByteSink): void {
  if (!isAnswer(body) || body.headers['transfer-encoding'] !== undefined) return;
  const { socket } = body;
  const length = Number(body.headers['content-length']);
  if (!(length >= WORTHWHILE)) return;
  const read = new DirectRead(body, to, length);
  reads.set(socket, read);
  body.once('close', () => {
    if (reads.get(socket) === read) reads.delete(socket);
  });
}

/** As it comes; what is unpacked on the way is another stream. */
function isAnswer(body: Readable): body is IncomingMessage {
  return 'headers' in body && 'socket' in body;
}

/** Whether the connection is quiet because the taker has enough for now. */
export function isHeld(socket: Socket): boolean {
  return reads.get(socket)?.isHeld ?? false;
}

/** @returns whether more may be read now; undefined where nobody takes it and it is the parser's */
export function taken(socket: Socket, piece: Buffer): boolean | undefined {
  const read = reads.get(socket);
  return read?.isDue ? read.take(piece) : undefined;
}
