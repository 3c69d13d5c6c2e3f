/** What connections, and the streams of answers, fail with: coded, and without the request that Node or axios add. */
import type { Readable } from 'node:stream';
import { DriveError, cancelled } from '../errors';
import { badResponse } from './json';

/** One request's connection. */
export interface RequestState {
  /** It was given up because nothing moved on it. */
  silent: boolean;
  host: string;
}

const lines = new WeakMap<object, RequestState>();

/** Notes which line a body comes by. */
export function attachRequestState(body: Readable, line: RequestState): Readable {
  // Whoever reads it gets the error as well; but for this one it would end the process where nobody does.
  body.on('error', () => undefined);
  lines.set(body, line);
  return body;
}

/** What is said at the other end is no HTTP that can be used. */
export function badProtocol(reason: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_protocol', params: { reason }, reason });
}

/**
 * Turns what a connection or an answer's stream failed with into a coded error. What is no failure of the line, a
 * mistake in this program say, is thrown on as it is.
 * @param from the stream that failed, or the line before there was one
 */
export function transportError(
  error: unknown,
  signal: AbortSignal | undefined,
  from: RequestState | Readable,
): DriveError {
  const known = [error, causeOf(error)].find((each) => each instanceof DriveError);
  if (known) return known;
  if (signal?.aborted) return cancelled();
  const line = 'silent' in from ? from : lines.get(from);
  const reason = codeOf(error);
  if (line?.silent || reason === 'ETIMEDOUT' || reason === 'ECONNABORTED') {
    return new DriveError('timeout', { retryable: true });
  }
  if (reason === undefined && !isAxiosError(error)) throw error;
  return byReason(reason ?? 'unknown', line?.host ?? '-');
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    CERT_HAS_EXPIRED: 'network_certificate_expired',
    CERT_NOT_YET_VALID: 'network_certificate_expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'network_certificate_untrusted',
    SELF_SIGNED_CERT_IN_CHAIN: 'network_certificate_untrusted',
    UNABLE_TO_GET_ISSUER_CERT: 'network_certificate_untrusted',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'network_certificate_untrusted',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'network_certificate_untrusted',
    CERT_UNTRUSTED: 'network_certificate_untrusted',
    ERR_TLS_CERT_ALTNAME_INVALID: 'network_certificate_wrong_host',
    HOSTNAME_MISMATCH: 'network_certificate_wrong_host',
    CERT_REVOKED: 'network_certificate',
    CERT_REJECTED: 'network_certificate',
    CERT_SIGNATURE_FAILURE: 'network_certificate',
    CERT_CHAIN_TOO_LONG: 'network_certificate',
    INVALID_CA: 'network_certificate',
    INVALID_PURPOSE: 'network_certificate',
    PATH_LENGTH_EXCEEDED: 'network_certificate',
  }),
);

/** Of an address that has no name or no server; both may come back. */
const UNREACHED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOTFOUND: 'network_dns',
    EAI_AGAIN: 'network_dns',
    EAI_NODATA: 'network_dns',
    EAI_FAIL: 'network_dns',
    ECONNREFUSED: 'network_refused',
  }),
);

function byReason(reason: string, host: string): DriveError {
  const detail = { params: { reason, host }, reason };
  const certificate = CERTIFICATES.get(reason);
  if (certificate) return new DriveError('network', { ...detail, text: certificate });
  if (reason === 'EPROTO' || reason.startsWith('ERR_SSL_')) {
    return new DriveError('network', { ...detail, text: 'network_tls' });
  }
  // A message that ends in its middle is a broken line; anything else that can't be parsed is none.
  if (reason.startsWith('HPE_') && reason !== 'HPE_INVALID_EOF_STATE') return badProtocol(reason);
  // Packed, but not as it says. A packed text that ends early is a broken line again.
  if (/^(Z_|ERR__|ZSTD_)/.test(reason) && reason !== 'Z_BUF_ERROR') return badResponse('bad_response_packed');
  return new DriveError('network', { ...detail, text: UNREACHED.get(reason), retryable: true });
}

/** Such an error carries the request, token and all, and must not leave this folder. */
function isAxiosError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'isAxiosError' in error;
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}
