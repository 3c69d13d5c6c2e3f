/**
 * Connections that read into one buffer each, over and over. Node makes a new one of 64 KiB for every read; where a
 * gigabyte passes, clearing them away costs more than all the rest, and the more so the larger the process is.
 * https://nodejs.org/api/net.html#socketconnectoptions-connectlistener (onread)
 */
import http from 'node:http';
import https from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';

const SIZE = 128 * 1024;

/** The answers whose reader is done with a piece when it returns. */
const borrowers = new WeakMap<Socket, http.IncomingMessage>();

/**
 * Says that whoever reads an answer keeps no piece of it longer than until it returns to its `data` listener: they are
 * not copied then. It does nothing for a stream that is no answer as it came.
 */
export function borrow(body: Readable): void {
  if (!(body instanceof http.IncomingMessage)) return;
  const { socket } = body;
  borrowers.set(socket, body);
  body.once('close', () => {
    if (borrowers.get(socket) === body) borrowers.delete(socket);
  });
}

/** What Node's agents call; they return the connection at once. */
type Connect<Options> = (options: Options) => Duplex | null | undefined;

function reading<Options>(options: Options, connect: Connect<Options>): Duplex | null | undefined {
  let buffer = Buffer.allocUnsafeSlow(SIZE);
  const onread: OnReadOpts = {
    buffer: () => buffer,
    callback: (length, read) => {
      const piece = Buffer.from(read.buffer, read.byteOffset, length);
      const body = borrowers.get(socket as Socket);
      if (!body?.readableFlowing || body.readableEnded) {
        socket?.emit('data', Buffer.from(piece));
      } else {
        socket?.emit('data', piece);
        // Some of it waits in the stream: that keeps the buffer.
        if (body.readableLength > 0) buffer = Buffer.allocUnsafeSlow(SIZE);
      }
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
