/** Where a service redirects a browser to. */
import { isLoopback } from '../../../src/http/loopback';
import { urlProblem } from '../../shared/editor/url-check';

/** Names that only local networks resolve: RFC 6762, RFC 8375, and what routers commonly use. */
const LOCAL_NAME = /\.(?:local|lan|home|internal|localdomain|home\.arpa)$/;

/**
 * Services redirect only to https URLs and to the user's own machine. Google also requires a public domain name:
 * https://developers.google.com/identity/protocols/oauth2/web-server#uri-validation
 */
export function isRedirectAllowed(url: string, service: 'google' | 'custom'): boolean {
  if (urlProblem(url) !== undefined || isIngress(url)) return false;
  const { hostname } = new URL(url);
  return service === 'custom' || isLoopback(hostname) || isPublicName(hostname);
}

function isPublicName(hostname: string): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  return !isAddress && hostname.includes('.') && !LOCAL_NAME.test(hostname);
}

/**
 * Home Assistant's ingress accepts only requests with its session cookie, which is `SameSite=Strict`: browsers don't
 * send it when another site redirects to it.
 */
export function isIngress(url: string): boolean {
  return new URL(url).pathname.startsWith('/api/hassio_ingress/');
}
