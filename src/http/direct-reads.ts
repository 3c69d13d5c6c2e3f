/**
 * Connections that read into one buffer each, over and over, and large answers that are taken from there. Node makes a
 * new buffer for every read, and its parser another for every piece of a body; where a gigabyte passes, that costs more
 * than all the rest and fills the memory until it is cleared away. Behind the headers of an answer that says its length
 * there is nothing to parse: RFC 9112 6.3.
 * https://nodejs.org/api/net.html#socketconnectoptions-connectlistener (onread)
 */
import http from 'node:http';
import https from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';

const SIZE = 128 * 1024;
/** Bytes that have to be left: the connection can't be used again, and a new one takes its time. */
const WORTHWHILE = 1024 * 1024;

export interface Taker {
  /** The piece is overwritten when this has returned. @returns false where no more should come before {@link ready} */
  take(piece: Buffer): boolean;
  ready(): Promise<void>;
}

class DirectRead {
  /** Bytes of the body that have not been given yet. */
  private left: number;
  private hasBegun = false;
  isHeld = false;

  constructor(
    private readonly body: http.IncomingMessage,
    private readonly to: Taker,
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
    const wantsMore = this.to.take(piece);
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
    await this.to.ready();
    this.isHeld = false;
    this.body.socket.resume();
  }
}

const reads = new WeakMap<Duplex, DirectRead>();

/**
 * Gives an answer's body to a taker without the parser, where that is possible and worthwhile: then the stream gives
 * nothing, but ends or fails as it would have. Whoever calls this gives the taker what the stream does give.
 */
export function readDirectly(body: Readable, to: Taker): void {
  if (!(body instanceof http.IncomingMessage) || body.headers['transfer-encoding'] !== undefined) return;
  const { socket } = body;
  const length = Number(body.headers['content-length']);
  if (!(length >= WORTHWHILE)) return;
  const read = new DirectRead(body, to, length);
  reads.set(socket, read);
  body.once('close', () => {
    if (reads.get(socket) === read) reads.delete(socket);
  });
}

/** Whether the connection is quiet because the taker has enough for now. */
export function isHeld(socket: Socket): boolean {
  return reads.get(socket)?.isHeld ?? false;
}

/** @param connect what Node's agents do; they return the connection at once */
function reading<Options>(
  options: Options,
  connect: (options: Options) => Duplex | null | undefined,
): Duplex | null | undefined {
  const onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(SIZE),
    callback: (length, buffer) => {
      const piece = Buffer.from(buffer.buffer, buffer.byteOffset, length);
      const direct = socket && reads.get(socket);
      if (direct?.isDue) return direct.take(piece);
      socket?.emit('data', Buffer.from(piece));
      return true;
    },
  };
  const socket = connect({ ...options, onread });
  return socket;
}

export class ReadingHttpAgent extends http.Agent {
  override createConnection(options: http.ClientRequestArgs): Duplex | null | undefined {
    return reading(options, (more) => super.createConnection(more));
  }
}

export class ReadingHttpsAgent extends https.Agent {
  override createConnection(options: https.RequestOptions): Duplex | null | undefined {
    return reading(options, (more) => super.createConnection(more));
  }
}
