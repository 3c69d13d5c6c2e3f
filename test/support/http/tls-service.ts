import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RequestListener } from 'node:http';
import type { Certificate } from './certificates';

/** A TLS server on this machine. */
export class TlsService {
  connections = 0;
  requests = 0;

  private constructor(private readonly server: Server) {
    server.on('secureConnection', () => (this.connections += 1));
    server.on('request', () => (this.requests += 1));
  }

  static async start({ cert, key }: Certificate, listener: RequestListener): Promise<TlsService> {
    const server = createServer({ cert, key }, listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TlsService(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
