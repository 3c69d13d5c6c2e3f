/** Bytes that the system has accepted from one process and not yet passed to the other. */
import { readFileSync } from 'node:fs';

/**
 * https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 * @returns bytes on their way from a server on this machine to its clients; undefined where the system doesn't report them
 */
export function queuedBytes(url: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const port = Number(new URL(url).port);
  let sum = 0;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)) {
    const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/);
    const [unsent = 0, unread = 0] = queues.split(':').map((hex) => parseInt(hex, 16));
    if (portOf(local) === port) sum += unsent;
    if (portOf(remote) === port) sum += unread;
  }
  return sum;
}

function portOf(address: string): number {
  return parseInt(address.split(':')[1] ?? '', 16);
}
