import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds. The byte counters of sockets emit no events, so they are polled. */
const POLL_INTERVAL = 2;

/** Bytes on the wire, headers included, of all connections since the start. */
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

  /** Bytes received from clients. */
  get received(): number {
    return this.sum('received', ({ bytesRead }) => bytesRead);
  }

  /** Bytes written to clients. */
  get sent(): number {
    return this.sum('sent', ({ bytesWritten }) => bytesWritten);
  }

  /** Number of open connections. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Polls until the condition is true. */
  async until(condition: (traffic: this) => boolean): Promise<void> {
    while (!condition(this)) await wait(POLL_INTERVAL);
  }

  private sum(direction: 'received' | 'sent', of: (socket: Socket) => number): number {
    return [...this.sockets].reduce((total, socket) => total + of(socket), this.closedSockets[direction]);
  }
}
