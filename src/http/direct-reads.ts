/**
 * Reads large response bodies from the socket without Node's HTTP parser.
 *
 * Node allocates a buffer for every read, and its parser another one for every chunk of a body. In a large download
 * that costs more than all other work and fills the memory until it is collected. It is avoided in two steps:
 *
 * 1. The agents below connect with the `onread` option: the socket reads into the same buffer over and over, and calls
 *    back after each read. https://nodejs.org/api/net.html#socketconnectoptions-connectlistener
 * 2. After the headers of a response with `Content-Length`, that many bytes are content (RFC 9112 6.3), so there is
 *    nothing to parse. {@link readDirectly} writes them to a sink. All other bytes go to the parser, in the `data`
 *    event that a socket without `onread` would emit.
 *
 * The parser never sees the end of such a body, so the connection is closed after it.
 *
 * If a Node version ignores `onread`, bodies arrive through their streams as usual. If it feeds its parser in another
 * way than by `data` events, the request fails like one whose connection was lost, and the agent's next connections use
 * ordinary reads.
 */
import http from 'node:http';
import https from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { freeBuffer, type ByteSink } from '../core/buffers';

const BUFFER_SIZE = 128 * 1024;
/** Node 18.5 keeps what its parser is given, until the body has been read. */
const COPYING_VERSIONS = [20, 22, 24, 26];
/** Whether the parser copies what it is given. Seen in these versions; in any other, a copy is the safe choice. */
const PARSER_COPIES = COPYING_VERSIONS.includes(Number.parseInt(process.versions.node));
/** Bytes that must remain. For less, keeping the connection is worth more. */
const MIN_DIRECT = 1024 * 1024;

export class DirectReadHttpAgent extends http.Agent {
  private readonly support = { isSupported: true };

  override createConnection(options: http.ClientRequestArgs): Duplex | null | undefined {
    return connectWithOnRead(options, this.support, (all) => super.createConnection(all));
  }
}

export class DirectReadHttpsAgent extends https.Agent {
  private readonly support = { isSupported: true };

  /**
   * Node 20 applies an agent's `noDelay` to http only; https bodies would wait until their headers were acknowledged.
   */
  override createConnection(options: https.RequestOptions): Duplex | null | undefined {
    const socket = connectWithOnRead(options, this.support, (all) => super.createConnection(all));
    return (socket as TLSSocket | undefined)?.setNoDelay();
  }
}

/** @param connect of Node's agent, which returns the socket at once */
function connectWithOnRead<Options>(
  options: Options,
  support: { isSupported: boolean },
  connect: (options: Options) => Duplex | null | undefined,
): Duplex | null | undefined {
  if (!support.isSupported) return connect(options);
  const buffer = Buffer.allocUnsafeSlow(BUFFER_SIZE);
  let isFirst = true;
  const onread: OnReadOpts = {
    buffer: () => buffer,
    callback: (length) => {
      if (!socket) return true;
      const chunk = buffer.subarray(0, length);
      const mayContinue = writeDirectly(socket as Socket, chunk);
      if (mayContinue !== undefined) return mayContinue;
      // The first bytes belong to a response, so the parser must be listening.
      if (isFirst && socket.listenerCount('data') === 0) {
        support.isSupported = false;
        socket.destroy(Object.assign(new Error('direct reads are not supported'), { code: 'ECONNRESET' }));
        return false;
      }
      isFirst = false;
      socket.emit('data', PARSER_COPIES ? chunk : Buffer.from(chunk));
      return true;
    },
  };
  const socket = connect({ ...options, onread });
  return socket;
}

class DirectRead {
  /** Bytes of the body that haven't arrived. */
  private remaining: number;
  private isStarted = false;
  isPaused = false;

  constructor(
    private readonly body: http.IncomingMessage,
    private readonly sink: ByteSink,
    length: number,
  ) {
    this.remaining = length;
    // The caller writes the chunks of the stream to the same sink.
    body.on('data', (chunk: Buffer) => (this.remaining -= chunk.length));
  }

  /** Whether the next bytes of the socket may go to the sink: everything before them has left the stream. */
  get isReady(): boolean {
    const { readableFlowing, readableLength } = this.body;
    return (
      this.isStarted || (readableFlowing === true && readableLength === 0 && this.remaining >= MIN_DIRECT)
    );
  }

  /** @returns whether the socket may read on */
  write(read: Buffer): boolean {
    const { body } = this;
    if (body.destroyed) return false;
    this.isStarted = true;
    const chunk = read.subarray(0, this.remaining);
    this.remaining -= chunk.length;
    const wantsMore = this.sink.write(chunk);
    if (body.destroyed) return false;
    if (this.remaining === 0) return this.end();
    // TLS may deliver more of what it has already read.
    if (!wantsMore && !this.isPaused) void this.pause();
    return wantsMore;
  }

  private end(): false {
    const { body } = this;
    body.complete = true;
    // Node then ends the body and releases the parser. It wouldn't release the parser of a body that ends before its
    // connection, and a parser is never collected, nor are the body and the listeners that it refers to.
    body.socket.destroy();
    return false;
  }

  private async pause(): Promise<void> {
    this.isPaused = true;
    await this.sink.drained();
    this.isPaused = false;
    this.body.socket.resume();
  }
}

/** By connection. */
const reads = new WeakMap<Duplex, DirectRead>();

/**
 * Writes the body to the sink without the parser, if that is possible and worthwhile. Its stream then yields only the
 * chunks before that, which the caller writes to the sink, and ends or fails as usual.
 */
export function readDirectly(body: Readable, sink: ByteSink): void {
  if (!isResponse(body) || body.headers['transfer-encoding'] !== undefined) return;
  const length = Number(body.headers['content-length']);
  if (!(length >= MIN_DIRECT)) return;
  const { socket } = body;
  const read = new DirectRead(body, sink, length);
  reads.set(socket, read);
  body.once('close', () => {
    if (reads.get(socket) === read) reads.delete(socket);
  });
}

/**
 * Frees the memory of a chunk of a body that was copied. Otherwise, V8 collects its garbage several times per second
 * while many small files are downloaded, because it counts the memory of their chunks as its own.
 */
export function freeChunk(body: Readable, chunk: Buffer): void {
  // A parser that doesn't copy may still be reading that memory.
  if (PARSER_COPIES && isResponse(body)) freeBuffer(chunk);
}

/** A decompressed body is another kind of stream. */
function isResponse(body: Readable): body is http.IncomingMessage {
  return 'headers' in body && 'socket' in body;
}

/** Whether the connection is idle because the sink accepts no more for now. */
export function isPaused(socket: Socket): boolean {
  return reads.get(socket)?.isPaused ?? false;
}

/** @returns whether the socket may read on; undefined if the chunk belongs to the parser */
function writeDirectly(socket: Socket, chunk: Buffer): boolean | undefined {
  const read = reads.get(socket);
  return read?.isReady ? read.write(chunk) : undefined;
}
