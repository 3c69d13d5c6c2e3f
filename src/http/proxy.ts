/**
 * Which proxy a request goes through: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, as curl reads them, in lower
 * case first. https://everything.curl.dev/usingcurl/proxies/env.html
 */
import { BlockList, isIP } from 'node:net';
import { DriveError } from '../errors';
import { isLoopback } from './url';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @returns undefined where the request goes straight to its host
 * @throws `network` where the proxy's address can't be used
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  const address = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (address === '' || isExempt(url, read('no_proxy'))) return undefined;
  const proxy = parsed(address);
  // Another machine's idea of this machine is itself: what is here isn't asked for there, least of all with a token.
  return isLoopback(url.hostname) && !isLoopback(proxy.hostname) ? undefined : proxy;
}

function parsed(address: string): URL {
  let proxy: URL | undefined;
  try {
    proxy = new URL(address.includes('://') ? address : `http://${address}`);
  } catch {
    // Below.
  }
  if (proxy && ['http:', 'https:'].includes(proxy.protocol)) return proxy;
  throw proxyError(proxy?.host ?? '-', proxy ? 'unsupported' : 'address');
}

/** Who the proxy is to take the request from, where its address says so. */
export function proxyCredentials({
  username,
  password,
}: URL): { username: string; password: string } | undefined {
  return username ? { username: decoded(username), password: decoded(password) } : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param reason a word or a status */
export function proxyError(host: string, reason: string | number, retryable = false): DriveError {
  const params = { host, reason };
  return new DriveError('network', { text: 'network_proxy', params, reason: String(reason), retryable });
}

/** Each entry is a host, with its subdomains, and may have a port, or a range of addresses; `*` is all. */
function isExempt(url: URL, exempt: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exempt
    .toLowerCase()
    .split(/[\s,]/)
    .some((entry) => {
      if (entry.includes('/')) return isInRange(unbracketed(url.hostname), entry);
      const named = isIP(entry) === 6 ? `[${entry}]` : entry;
      const host = named.replace(/:\d+$/, '').replace(/^\*?\./, '');
      const only = /:(\d+)$/.exec(named)?.[1] ?? port;
      if (host === '' || only !== port) return false;
      if (host === '*' || url.hostname === host || url.hostname.endsWith(`.${host}`)) return true;
      return isLoopback(host) && isLoopback(url.hostname);
    });
}

/** `10.0.0.0/8`, `fd00::/8`, as curl takes them since 7.86. A name is in none: it isn't looked up for this. */
function isInRange(address: string, range: string): boolean {
  const slash = range.indexOf('/');
  const [network, bits] = [range.slice(0, slash), range.slice(slash + 1)];
  const family = isIP(network);
  if (family === 0 || family !== isIP(address)) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), kind);
  return list.check(address, kind);
}

/** An address as Node takes it: in URLs those of IPv6 stand in brackets. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/[[\]]/g, '');
}
