import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Traffic } from './traffic';

/** A server that listens on loopback. */
export interface Listener {
  readonly port: number;
  readonly url: string;
  readonly traffic: Traffic;
  close(): Promise<void>;
}

/** The service has a single user and no TLS, so it must not be reachable from other machines. */
const LOOPBACK = '127.0.0.1';

/** Listens on 127.0.0.1; port 0 picks a free one. Rejects with the system error, such as EADDRINUSE. */
export function listenOnLoopback(handler: RequestListener, port: number): Promise<Listener> {
  // Large uploads may take longer than Node's default request timeout of five minutes. A long keep-alive avoids the
  // race in which a client reuses a connection that is being closed. Large reads keep transfers fast.
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 120_000, highWaterMark: 1024 * 1024, noDelay: true },
    handler,
  );
  const traffic = new Traffic(server);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      const bound = (server.address() as AddressInfo).port;
      resolve({
        port: bound,
        url: `http://${LOOPBACK}:${bound}`,
        traffic,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}
