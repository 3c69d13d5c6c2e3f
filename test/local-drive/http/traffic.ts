import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A look at the counters this often, ms: bodies go by the parser without an event. */
const POLL_INTERVAL = 2;

/** Bytes on the wire, headers included, over all connections since the start. */
export class Traffic {
  private readonly sockets = new Set<Socket>();
  private closedSockets = { received: 0, sent: 0 };

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        this.closedSockets.received += socket.bytesRead;
        this.closedSockets.sent += socket.bytesWritten;
      });
    });
  }

  /** Bytes that came from clients. */
  get received(): number {
    return this.sum('received', ({ bytesRead }) => bytesRead);
  }

  /** Bytes that were handed over to go to clients. */
  get sent(): number {
    return this.sum('sent', ({ bytesWritten }) => bytesWritten);
  }

  /** How many connections there are. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Resolves when what it is asked holds; it is asked again and again. */
  async until(holds: (traffic: this) => boolean): Promise<void> {
    while (!holds(this)) await wait(POLL_INTERVAL);
  }

  private sum(direction: 'received' | 'sent', of: (socket: Socket) => number): number {
    return [...this.sockets].reduce((total, socket) => total + of(socket), this.closedSockets[direction]);
  }
}
