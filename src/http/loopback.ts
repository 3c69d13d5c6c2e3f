/** Addresses of this machine. The editor uses this file too, so it imports nothing. */

/** RFC 8252 8.3 and RFC 6761 6.3: the loopback addresses and `localhost`. */
export function isLoopback(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^\[::1\]$|^127(?:\.\d{1,3}){3}$/.test(hostname);
}
