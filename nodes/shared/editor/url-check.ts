/** Checks an address as it is typed; the runtime checks again before anything is sent. Knows no browser. */

export type AddressProblem = 'address' | 'address_insecure';

/** @returns undefined for https anywhere and http to this machine */
export function addressProblem(address: string): AddressProblem | undefined {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return 'address';
  }
  if (url.username || url.password || url.hash) return 'address';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return 'address';
  return isLoopback(url.hostname) ? undefined : 'address_insecure';
}

/** RFC 8252 8.3 and RFC 6761 6.3. */
function isLoopback(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^\[::1\]$|^127(?:\.\d{1,3}){3}$/.test(hostname);
}
