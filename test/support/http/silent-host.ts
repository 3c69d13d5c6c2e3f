/** Hosts on this machine that never respond. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface SilentHost {
  /** `127.0.0.1:1234` */
  host: string;
  /** Its open connections, as far as it has accepted them. */
  sockets: ReadonlySet<Socket>;
  close: () => void;
}

/** Accepts connections, and never answers. */
export async function startMuteHost(): Promise<SilentHost> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, close };
}

/** Never accepts connections: a process that listens with a backlog of one and then blocks. The backlog is full. */
export async function startUnresponsiveHost(): Promise<SilentHost> {
  const source = `
    const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
      require('node:fs').writeSync(1, server.address().port + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  const fill = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  const close = (): void => {
    for (const socket of fill) socket.destroy();
    child.kill('SIGKILL');
  };
  return { host: `127.0.0.1:${port}`, sockets: new Set(), close };
}
