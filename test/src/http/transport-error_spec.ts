/** Error codes by the errors that Node and axios throw. Other specs of this folder cause them on real connections. */
import { Readable } from 'node:stream';
import should from 'should';
import { type DriveError } from '../../../src/errors';
import { driveError } from '../../support/client/drive-error';
import { type RequestState, transportError } from '../../../src/http/transport-error';

const state: RequestState = { isTimedOut: false, host: 'drive.example' };
const coded = (code: unknown, more: object = {}) => Object.assign(new Error('SECRET'), { code, ...more });
const mapped = (error: unknown, from: RequestState | Readable = state, signal?: AbortSignal): DriveError =>
  transportError(error, signal, from);

describe('transportError', () => {
  for (const [reason, code, text, retryable] of [
    ['ECONNRESET', 'network', 'network', true],
    ['ENOTFOUND', 'network', 'network_dns', true],
    ['EAI_AGAIN', 'network', 'network_dns', true],
    ['ECONNREFUSED', 'network', 'network_refused', true],
    ['ETIMEDOUT', 'timeout', 'timeout', true],
    ['ECONNABORTED', 'timeout', 'timeout', true],
    ['EPROTO', 'network', 'network_tls', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'network', 'network_tls', false],
    ['CERT_HAS_EXPIRED', 'network', 'network_certificate_expired', false],
    ['CERT_REVOKED', 'network', 'network_certificate', false],
    ['HPE_INVALID_CONSTANT', 'bad_response', 'bad_response_protocol', false],
    // The response was truncated, compressed or not.
    ['HPE_INVALID_EOF_STATE', 'network', 'network', true],
    ['Z_BUF_ERROR', 'network', 'network', true],
    ['Z_DATA_ERROR', 'bad_response', 'bad_response_packed', false],
    ['ERR__ERROR_FORMAT_PADDING_1', 'bad_response', 'bad_response_packed', false],
  ] as const) {
    it(`transportError maps ${reason} to ${text}`, () =>
      mapped(coded(reason)).should.have.properties({ code, text, retryable }));
  }

  it('transportError includes the reason and the host', () => {
    mapped(coded('ECONNRESET')).should.have.properties({
      reason: 'ECONNRESET',
      params: { reason: 'ECONNRESET', host: 'drive.example' },
    });
    mapped(coded('HPE_INVALID_CONSTANT')).params.should.deepEqual({ reason: 'HPE_INVALID_CONSTANT' });
    const unknown = Readable.from([]);
    mapped(coded('ECONNRESET'), unknown).params.should.deepEqual({ reason: 'ECONNRESET', host: '-' });
  });

  it('transportError contains nothing of the request that axios adds to its errors', () => {
    for (const code of [undefined, 'https://drive.example/?SECRET', 'ESECRET of mine', 'my EX', 5]) {
      const error = mapped(coded(code, { isAxiosError: true, config: 'SECRET' }));
      error.should.have.properties({ code: 'network', reason: 'unknown', retryable: true });
      should(JSON.stringify(error) + error.message).not.match(/SECRET/);
    }
  });

  it('transportError prefers a coded error, then a timeout or cancellation, over the reason', () => {
    const own = driveError('local_file');
    mapped(own).should.equal(own);
    mapped(coded('ERR_BAD_REQUEST', { cause: own })).should.equal(own);
    mapped(coded('ECONNRESET'), { ...state, isTimedOut: true }).code.should.equal('timeout');
    mapped(coded('ECONNRESET'), state, AbortSignal.abort()).code.should.equal('cancelled');
  });

  it('transportError throws other errors unchanged', () => {
    for (const mistake of [new TypeError('x'), coded(undefined), coded(5), undefined, null, 'text', 5]) {
      let thrown: unknown = 'nothing';
      try {
        mapped(mistake);
      } catch (caught) {
        thrown = caught;
      }
      should(thrown).equal(mistake);
    }
  });
});
