/**
 * Which proxy a request goes through: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, as curl reads them, in lower
 * case first. https://everything.curl.dev/usingcurl/proxies/env.html
 */
import { BlockList, isIP } from 'node:net';
import { DriveError } from '../errors';
import { isLoopback } from './loopback';
import { parseUrl } from './url';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @returns undefined if the request needs no proxy
 * @throws `network` if the URL of the proxy is invalid or has an unsupported protocol
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  const proxyUrl = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') || read('all_proxy');
  if (proxyUrl === '' || isExempt(url, read('no_proxy'))) return undefined;
  const proxy = parseProxyUrl(proxyUrl);
  // A proxy on another machine would connect to itself, and receive a token meant for this machine.
  return isLoopback(url.hostname) && !isLoopback(proxy.hostname) ? undefined : proxy;
}

/** Whether any variable could name a proxy, or exempt from one. */
export function hasProxyVariables(environment: Environment): boolean {
  return Object.keys(environment).some((name) => /_proxy$/i.test(name));
}

/** In `DOMAIN\user`, the backslash belongs to the user name, as in curl. `URL` would end the host with it. */
function parseProxyUrl(text: string): URL {
  const url = text.includes('://') ? text : `http://${text}`;
  const [start = '', user = ''] = /^[^/]*:\/\/([^/?#]*@)?/.exec(url) ?? [];
  const host = url.slice(start.length);
  const escaped = start.slice(0, start.length - user.length) + user.replaceAll('\\', '%5C');
  const proxy = /^[^/?#]*\\/.test(host) ? undefined : parseUrl(escaped + host);
  if (proxy && ['http:', 'https:'].includes(proxy.protocol)) return proxy;
  throw proxyError(proxy?.host ?? '-', proxy ? 'unsupported' : 'address');
}

/** The user name and password in the URL of the proxy, if any. */
export function proxyCredentials(proxy: URL): Pick<URL, 'username' | 'password'> | undefined {
  const { username, password } = proxy;
  return username ? { username: decode(username), password: decode(password) } : undefined;
}

/** Unlike `decodeURIComponent`, it decodes what is valid beside a `%` that wasn't escaped. */
function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** @param reason an error code or an HTTP status */
export function proxyError(host: string, reason: string | number, retryable = false): DriveError {
  const params = { host, reason };
  return new DriveError('network', { text: 'network_proxy', params, reason: String(reason), retryable });
}

/**
 * @param exempt `no_proxy`: a list of hosts, which include their subdomains and may have a port, CIDR ranges, or `*`
 */
function isExempt(url: URL, exempt: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exempt
    .toLowerCase()
    .split(/[\s,]/)
    .some((entry) => {
      if (entry.includes('/')) return isInRange(unbracketed(url.hostname), entry);
      const bracketed = isIP(entry) === 6 ? `[${entry}]` : entry;
      const host = bracketed.replace(/:\d+$/, '').replace(/^\*?\./, '');
      const entryPort = /:(\d+)$/.exec(bracketed)?.[1] ?? port;
      if (host === '' || entryPort !== port) return false;
      if (host === '*' || url.hostname === host || url.hostname.endsWith(`.${host}`)) return true;
      return isLoopback(host) && isLoopback(url.hostname);
    });
}

/**
 * CIDR ranges such as `10.0.0.0/8` and `fd00::/8`, as in curl 7.86. Host names are not resolved, so they never match.
 */
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

/** URLs put IPv6 addresses in brackets; Node expects them without. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/[[\]]/g, '');
}
