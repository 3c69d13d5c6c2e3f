/** The sentence of an error in Node-RED's language, and what Catch nodes get of it: docs/errors.md. */
import type { NodeAPI } from 'node-red';
import should from 'should';
import { errorText, nodeError } from '../../../nodes/shared/runtime/error-message';
import catalogue from '../../../nodes/account/locales/en-US/account.json';
import { DriveError } from '../../../src/index';

/** Node-RED as far as it has a part in this. */
const red = (translate: (key: string, params: object) => unknown): NodeAPI =>
  ({ _: translate }) as unknown as NodeAPI;
const WITHOUT_CATALOGUE = red((key) => key);

describe('the error of a node', () => {
  it('is an Error with code and cause, and nothing of the error that it comes from', () => {
    const from = new DriveError('not_found', {
      status: 404,
      reason: 'notFound',
      params: { status: 404, reason: 'notFound' },
      retryAfter: 5,
    });
    const error = nodeError(WITHOUT_CATALOGUE, from);
    error.should.be.instanceof(Error);
    error.name.should.equal('Error');
    should(Object.getPrototypeOf(error)).equal(Error.prototype);
    Object.keys(error).should.eql(['code', 'cause']);
    error.code.should.equal('not_found');
    error.cause.should.eql({ code: 'not_found', status: 404, reason: 'notFound', retryable: false });
    should(Object.getPrototypeOf(error.cause)).equal(Object.prototype);
  });

  it('has neither status nor reason in its cause where there is none', () => {
    nodeError(WITHOUT_CATALOGUE, new DriveError('timeout', { retryable: true })).cause.should.eql({
      code: 'timeout',
      retryable: true,
    });
  });

  it("is in Node-RED's language", () => {
    const german = red((key, params) => `${key} ${JSON.stringify(params)}`);
    const error = new DriveError('invalid_input', {
      text: 'invalid_input_count',
      params: { property: 'limit' },
    });
    errorText(german, error).should.equal(
      'node-red-contrib-cloud-drive/cloud-drive-account:errors.invalid_input_count {"property":"limit"}',
    );
  });

  it('is in English where the catalogue is not loaded, with what varies filled in', () => {
    const error = new DriveError('local_file', { params: { path: '/a __b__', reason: 'EIO' } });
    errorText(WITHOUT_CATALOGUE, error).should.equal(
      catalogue.errors.local_file.replace('__path__', '/a __b__').replace('__reason__', 'EIO'),
    );
    // Node-RED's i18n gives back the key without its namespace.
    errorText(
      red((key) => key.split(':')[1]),
      error,
    ).should.containEql('/a __b__');
  });

  it('is the message of the code behind where there is no sentence', () => {
    const error = new DriveError('network', { text: 'network_unheard_of', params: { reason: 'X' } });
    errorText(WITHOUT_CATALOGUE, error).should.equal('network_unheard_of reason=X');
  });

  it('names a property of the account as its dialog does, and as flows do', () => {
    const missing = { text: 'not_configured_missing', params: { property: 'authUrl' } };
    errorText(WITHOUT_CATALOGUE, new DriveError('not_configured', missing)).should.startWith(
      '“Sign-in page” (authUrl) is empty in the account',
    );
    const elsewhere = { text: 'bad_response_address', params: { address: 'baseUrl', status: 404 } };
    errorText(WITHOUT_CATALOGUE, new DriveError('bad_response', elsewhere)).should.containEql(
      '(“Files” (baseUrl) in the account)',
    );
    // What the dialog doesn't show has no other name.
    for (const property of ['refreshToken', 'www.googleapis.com']) {
      const error = new DriveError('not_configured', { ...missing, params: { property } });
      errorText(WITHOUT_CATALOGUE, error).should.startWith(`${property} is empty`);
    }
    const ofNode = { text: 'invalid_input_count', params: { property: 'timeout', came: 'x' } };
    errorText(WITHOUT_CATALOGUE, new DriveError('invalid_input', ofNode)).should.startWith('timeout is');
  });

  it('says how often it was tried, where that was more than once', () => {
    const error = new DriveError('timeout', { retryable: true });
    errorText(WITHOUT_CATALOGUE, error).should.equal(catalogue.errors.timeout);
    error.attempts = 3;
    errorText(WITHOUT_CATALOGUE, error).should.equal(`${catalogue.errors.timeout} It was tried 3 times.`);
  });

  it('names a mistake in this package, and does not show what it was', () => {
    for (const [mistake, what] of [
      [new TypeError('canary'), 'TypeError'],
      ['canary', 'string'],
      [{ secret: 'canary' }, 'object'],
    ] as const) {
      const error = nodeError(WITHOUT_CATALOGUE, mistake);
      error.code.should.equal('bad_response');
      error.message.should.containEql(what);
      `${error.message}${error.stack ?? ''}${JSON.stringify(error)}`.should.not.containEql('canary');
    }
  });
});
