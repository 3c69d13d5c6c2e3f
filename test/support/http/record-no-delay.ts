import { Socket } from 'node:net';

/** @param action is given the sockets of this process that have been set to send small writes at once (TCP_NODELAY) */
export async function recordNoDelay(action: (sockets: ReadonlySet<Socket>) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the socket
  const original = Socket.prototype.setNoDelay;
  Socket.prototype.setNoDelay = function (isOn = true) {
    if (isOn) sockets.add(this);
    return original.call(this, isOn);
  };
  try {
    await action(sockets);
  } finally {
    Socket.prototype.setNoDelay = original;
  }
}
