/** Maps errors of connections and response streams to coded errors, without the request that Node or axios add. */
import type { Readable } from 'node:stream';
import { badResponse, cancelled, DriveError, errorCode, type TextWith } from '../errors';

/** What an error of the request depends on, besides Node's own error. */
export interface RequestState {
  isTimedOut: boolean;
  host: string;
}

const requestStates = new WeakMap<object, RequestState>();

/** Lets {@link transportError} find the state of the request that a body belongs to. */
export function attachRequestState(body: Readable, state: RequestState): Readable {
  // Without a listener, an error of a body that nobody reads would end the process.
  body.on('error', () => undefined);
  requestStates.set(body, state);
  return body;
}

/** The error for a response that isn't valid HTTP. */
export function invalidProtocol(reason: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_protocol', params: { reason }, reason });
}

/**
 * Maps an error of a connection or a response stream to a coded one. Other errors, such as a mistake in this program,
 * are thrown unchanged.
 * @param from the stream that failed, or the state of a request without a response
 */
export function transportError(
  error: unknown,
  signal: AbortSignal | undefined,
  from: RequestState | Readable,
): DriveError {
  const coded = [error, causeOf(error)].find((each) => each instanceof DriveError);
  if (coded) return coded;
  if (signal?.aborted) return cancelled();
  const state = 'isTimedOut' in from ? from : requestStates.get(from);
  const reason = codeOf(error);
  if (state?.isTimedOut || reason === 'ETIMEDOUT' || reason === 'ECONNABORTED') {
    return new DriveError('timeout', { retryable: true });
  }
  if (reason === undefined && !isAxiosError(error)) throw error;
  return errorByReason(reason ?? 'unknown', state?.host ?? '-');
}

type NetworkText = TextWith<'reason' | 'host'>;

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_TEXTS = new Map(
  Object.entries<NetworkText>({
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

/** Temporary: names and servers may become available again. */
const UNREACHABLE_TEXTS = new Map(
  Object.entries<NetworkText>({
    ENOTFOUND: 'network_dns',
    EAI_AGAIN: 'network_dns',
    EAI_NODATA: 'network_dns',
    EAI_FAIL: 'network_dns',
    ECONNREFUSED: 'network_refused',
  }),
);

function errorByReason(reason: string, host: string): DriveError {
  const detail = { params: { reason, host }, reason };
  const certificate = CERTIFICATE_TEXTS.get(reason);
  if (certificate) return new DriveError('network', { ...detail, text: certificate });
  if (reason === 'EPROTO' || reason.startsWith('ERR_SSL_')) {
    return new DriveError('network', { ...detail, text: 'network_tls' });
  }
  // A message that ends early is a lost connection. Other parse errors would only repeat, so they aren't retried.
  if (reason.startsWith('HPE_') && reason !== 'HPE_INVALID_EOF_STATE') return invalidProtocol(reason);
  // The body isn't compressed as Content-Encoding says. Compressed data that ends early is a lost connection.
  if (/^(Z_|ERR__|ZSTD_)/.test(reason) && reason !== 'Z_BUF_ERROR') return badResponse('bad_response_packed');
  return new DriveError('network', {
    ...detail,
    text: UNREACHABLE_TEXTS.get(reason) ?? 'network',
    retryable: true,
  });
}

/** An AxiosError contains the request and its token, so it must not be exposed outside `src/http`. */
function isAxiosError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'isAxiosError' in error;
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = errorCode(error);
  return code !== undefined && /^[A-Z0-9_]{1,64}$/.test(code) ? code : undefined;
}
