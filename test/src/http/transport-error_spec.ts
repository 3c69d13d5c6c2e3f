/** What lines fail with, by what Node and axios throw; which of it real lines throw is held by the specs beside this. */
import { Readable } from 'node:stream';
import should from 'should';
import { DriveError } from '../../../src/errors';
import { type RequestState, transportError } from '../../../src/http/transport-error';

const line: RequestState = { isTimedOut: false, host: 'drive.example' };
const coded = (code: unknown, more: object = {}) => Object.assign(new Error('SECRET'), { code, ...more });
const meaning = (error: unknown, from: RequestState | Readable = line, signal?: AbortSignal): DriveError =>
  transportError(error, signal, from);

describe('what a line failed with', () => {
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
    // The answer ended in its middle, packed or not.
    ['HPE_INVALID_EOF_STATE', 'network', 'network', true],
    ['Z_BUF_ERROR', 'network', 'network', true],
    ['Z_DATA_ERROR', 'bad_response', 'bad_response_packed', false],
    ['ERR__ERROR_FORMAT_PADDING_1', 'bad_response', 'bad_response_packed', false],
  ] as const) {
    it(`${reason}: ${text}`, () => meaning(coded(reason)).should.have.properties({ code, text, retryable }));
  }

  it('is told with its word and the host', () => {
    meaning(coded('ECONNRESET')).should.have.properties({
      reason: 'ECONNRESET',
      params: { reason: 'ECONNRESET', host: 'drive.example' },
    });
    meaning(coded('HPE_INVALID_CONSTANT')).params.should.deepEqual({ reason: 'HPE_INVALID_CONSTANT' });
    const unknown = Readable.from([]);
    meaning(coded('ECONNRESET'), unknown).params.should.deepEqual({ reason: 'ECONNRESET', host: '-' });
  });

  it('carries nothing of the request that axios adds, also where it has no word', () => {
    for (const code of [undefined, 'https://drive.example/?SECRET', 'ESECRET of mine', 'my EX', 5]) {
      const error = meaning(coded(code, { isAxiosError: true, config: 'SECRET' }));
      error.should.have.properties({ code: 'network', reason: 'unknown', retryable: true });
      should(JSON.stringify(error) + error.message).not.match(/SECRET/);
    }
  });

  it('is what a coded error says that was thrown on the way, and else silence or the end by the user', () => {
    const own = new DriveError('local_file');
    meaning(own).should.equal(own);
    meaning(coded('ERR_BAD_REQUEST', { cause: own })).should.equal(own);
    meaning(coded('ECONNRESET'), { ...line, isTimedOut: true }).code.should.equal('timeout');
    meaning(coded('ECONNRESET'), line, AbortSignal.abort()).code.should.equal('cancelled');
  });

  it('stays what it is where no line failed: a mistake in this program', () => {
    for (const mistake of [new TypeError('x'), coded(undefined), coded(5), undefined, null, 'text', 5]) {
      let thrown: unknown = 'nothing';
      try {
        meaning(mistake);
      } catch (caught) {
        thrown = caught;
      }
      should(thrown).equal(mistake);
    }
  });
});
