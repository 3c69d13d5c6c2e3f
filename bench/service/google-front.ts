/**
 * The local drive as `https://www.googleapis.com`, for programs whose service can't be configured, with a certificate of a
 * private CA. A preloaded script leads Node.js to it, and an HTTPS proxy leads other programs.
 */
import { writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { type AddressInfo, type Server, type Socket, connect } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { type LocalDrive, startLocalDrive } from '../../test/local-drive';
import type { Sample } from '../harness/case';
import { certificate } from '../../test/support/http/certificates';

export const ACCESS_TOKEN = 'bench-token';
const PRELOADED = path.join(__dirname, '../programs/google-address.cjs');
const HOSTS = ['www.googleapis.com', 'oauth2.googleapis.com'];
/** ms. The drive remembers each request with its body until it is counted. */
const COUNT_INTERVAL = 50;

export interface GoogleFront {
  drive: LocalDrive;
  /** Path of the CA's certificate. */
  ca: string;
  /** Environment variables with which a Node.js program reaches the drive. */
  nodeEnv: Record<string, string>;
  /** The URL of the proxy for other programs. */
  proxy: string;
  /** Adds the requests, and the CPU time of the service. */
  counted(run: () => Promise<Sample>): Promise<Sample>;
  close(): Promise<void>;
}

/**
 * V8 counts the buffers of transfers as garbage. In a process that has run for some minutes, it collected that ten times
 * per second, which took more CPU time than the work of the service.
 */
const FEWER_COLLECTIONS = '--heap-growing-percent=2000';

/** @param folder for the certificate and the files on the drive */
export async function startGoogleFront(folder: string): Promise<GoogleFront> {
  setFlagsFromString(FEWER_COLLECTIONS);
  const drive = await startLocalDrive({
    token: ACCESS_TOKEN,
    dataDir: path.join(folder, 'drive'),
    publicOrigin: `https://${HOSTS[0]}`,
  });
  const authority = certificate({ name: 'bench CA' });
  const { key, cert } = certificate({ name: HOSTS[0]!, hosts: HOSTS, issuer: authority });
  const ca = path.join(folder, 'ca.pem');
  await writeFile(ca, authority.cert);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const front = createTlsServer({ key, cert, noDelay: true }, (socket) => {
    const target = track(connect({ port: drive.port, host: '127.0.0.1', noDelay: true }));
    track(socket).pipe(target).pipe(socket);
  });
  const proxy = createProxy().on('connect', (_request, socket) => {
    track(socket as Socket).write('HTTP/1.1 200 Connection established\r\n\r\n');
    front.emit('connection', socket);
  });
  await Promise.all([listen(front), listen(proxy)]);
  let counted = 0;
  const count = (): void => {
    counted += drive.requests.all.length;
    drive.requests.clear();
  };
  const timer = setInterval(count, COUNT_INTERVAL);
  return {
    ...{ drive, ca, proxy: `http://127.0.0.1:${portOf(proxy)}` },
    nodeEnv: {
      NODE_EXTRA_CA_CERTS: ca,
      NODE_OPTIONS: `--require ${JSON.stringify(PRELOADED)}`,
      GOOGLE_FRONT: JSON.stringify({ hosts: HOSTS, port: portOf(front) }),
    },
    counted: async (run) => {
      count();
      counted = 0;
      const before = process.cpuUsage();
      const sample = await run();
      const { user, system } = process.cpuUsage(before);
      count();
      return { ...sample, serviceCpu: (user + system) / 1e6, requests: counted };
    },
    close: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      for (const server of [proxy, front]) await new Promise((resolve) => server.close(resolve));
      await drive.close();
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
