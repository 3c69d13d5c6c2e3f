/**
 * Connections that read into one buffer each, over and over, but for large reads that are the parser's. Node makes a new
 * buffer for every read, and its parser another for every piece of a body; where a gigabyte passes, that costs more than
 * all the rest and fills the memory until it is cleared away.
 * https://nodejs.org/api/net.html#socketconnectoptions-connectlistener (onread)
 */
import http from 'node:http';
import https from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { taken } from './direct-reads';

const SIZE = 128 * 1024;
/** Bytes from which on a read keeps its buffer, and the next one gets another: to copy them would cost more. */
const HANDED_OVER = 32 * 1024;

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

/** @param connect what Node's agents do; they return the connection at once */
function reading<Options>(
  options: Options,
  connect: (options: Options) => Duplex | null | undefined,
): Duplex | null | undefined {
  let buffer = Buffer.allocUnsafeSlow(SIZE);
  const onread: OnReadOpts = {
    buffer: () => buffer,
    callback: (length) => {
      const piece = buffer.subarray(0, length);
      const goesOn = socket ? taken(socket as Socket, piece) : undefined;
      if (goesOn !== undefined) return goesOn;
      // The parser of Node 18.5 keeps what it is given.
      const isHandedOver = length >= HANDED_OVER;
      if (isHandedOver) buffer = Buffer.allocUnsafeSlow(SIZE);
      socket?.emit('data', isHandedOver ? piece : Buffer.from(piece));
      return true;
    },
  };
  const socket = connect({ ...options, onread });
  return socket;
}
