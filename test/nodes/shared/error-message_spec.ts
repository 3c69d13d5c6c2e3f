/** Error texts in Node-RED's language, and the errors that Catch nodes receive: docs/errors.md. */
import { type NodeAPI, util } from 'node-red';
import should from 'should';
import { errorText, toFailure } from '../../../nodes/shared/runtime/error-message';
import catalogue from '../../../nodes/account/locales/en-US/account.json';
import german from '../../../nodes/account/locales/de/account.json';
import type { TextKey } from '../../../src/index';
import { driveError } from '../../support/client/drive-error';

/** The parts of Node-RED that error texts use. */
const red = (translate: (key: string, params: object) => unknown): NodeAPI =>
  ({ _: translate }) as unknown as NodeAPI;
const WITHOUT_CATALOGUE = red((key) => key);
const withLanguage = (language: string): NodeAPI =>
  red((key) => (key.endsWith(':language') ? language : key));

describe('toFailure', () => {
  it('toFailure returns an error with code and cause, without other properties of the original error', () => {
    const from = driveError('not_found', {
      status: 404,
      reason: 'notFound',
      params: { status: 404, reason: 'notFound' },
      retryAfter: 5,
    });
    const error = toFailure(WITHOUT_CATALOGUE, from);
    error.name.should.equal('Error');
    Object.keys(error).sort().should.eql(['cause', 'code', 'message', 'name']);
    error.code.should.equal('not_found');
    error.cause.should.eql({ code: 'not_found', status: 404, reason: 'notFound', retryable: false });
    should(Object.getPrototypeOf(error.cause)).equal(Object.prototype);
  });

  it('the debug sidebar and the log show an error without a Catch node as one text', () => {
    const error = toFailure(WITHOUT_CATALOGUE, driveError('not_found', { status: 404 }));
    const text = `Error: ${catalogue.errors.not_found}`;
    should(util.encodeObject({ msg: error })).have.property('msg', text);
    String(error).should.equal(text);
    // The log shows the stack of an error instead, if it has one and Node-RED runs with -v.
    error.should.not.have.property('stack');
  });

  it('toFailure omits a missing status and reason from the cause', () => {
    toFailure(WITHOUT_CATALOGUE, driveError('timeout', { retryable: true })).cause.should.eql({
      code: 'timeout',
      retryable: true,
    });
  });

  it("toFailure uses Node-RED's language", () => {
    const error = driveError('invalid_input', {
      text: 'invalid_input_count',
      params: { property: 'limit', came: 'x' },
    });
    const expected = german.errors.invalid_input_count
      .replace('__property__', 'limit')
      .replace('__came__', 'x');
    errorText(withLanguage('de'), error).should.equal(expected);
  });

  it('toFailure falls back to English with parameters if the catalogue is not loaded', () => {
    const error = driveError('local_file', { params: { path: '/a __b__', reason: 'EIO' } });
    errorText(WITHOUT_CATALOGUE, error).should.equal(
      catalogue.errors.local_file.replace('__path__', '/a __b__').replace('__reason__', 'EIO'),
    );
    // For a missing text, Node-RED's i18n returns the key without its namespace.
    errorText(
      red((key) => key.split(':')[1]),
      error,
    ).should.containEql('/a __b__');
  });

  it('toFailure uses the message of the original error if there is no text', () => {
    const error = driveError('network', { text: 'network_unheard_of', params: { reason: 'X' } });
    errorText(WITHOUT_CATALOGUE, error).should.equal('network_unheard_of reason=X');
  });

  it('toFailure names a property of the account by its label and its property name', () => {
    const missing = { text: 'not_configured_missing', params: { property: 'authUrl' } };
    errorText(WITHOUT_CATALOGUE, driveError('not_configured', missing)).should.startWith(
      '“Authorization URL” (authUrl) is missing in the account',
    );
    const elsewhere = { text: 'bad_response_address', params: { address: 'baseUrl', status: 404 } };
    errorText(WITHOUT_CATALOGUE, driveError('bad_response', elsewhere)).should.containEql(
      '“Service URL” (baseUrl) in the account looks wrong',
    );
    // Properties that the dialog doesn't show have no label.
    for (const property of ['refreshToken', 'www.googleapis.com']) {
      const error = driveError('not_configured', { ...missing, params: { property } });
      errorText(WITHOUT_CATALOGUE, error).should.startWith(`${property} is missing`);
    }
    const ofNode = { text: 'invalid_input_count', params: { property: 'timeout', came: 'x' } };
    errorText(WITHOUT_CATALOGUE, driveError('invalid_input', ofNode)).should.startWith('timeout must');
  });

  it('toFailure names the account only if the error is about it', () => {
    const shown = (text: TextKey, name: unknown = 'Photos'): boolean => {
      const node = { type: 'cloud-drive-watch', config: {}, account: { name: name as string } };
      return errorText(withLanguage('en-US'), driveError('not_configured', { text }), node).includes(
        ' Account: ',
      );
    };
    shown('not_configured_client_id').should.be.true();
    shown('not_configured_secret_not_deployed').should.be.false();
    shown('not_configured_no_changes').should.be.false();
    for (const name of [true, {}, ' ']) shown('not_configured_client_id', name).should.be.false();
  });

  it("errors name Google Drive as in Node-RED's language, and other services by their host", () => {
    const japanese = red((key) => (key.endsWith('service_google') ? 'Googleドライブ' : key));
    const error = driveError('timeout');
    for (const [service, shown] of [
      ['Google Drive', 'Googleドライブ'],
      ['drive.example', 'drive.example'],
    ] as const) {
      error.service = service;
      errorText(japanese, error).should.containEql(shown);
    }
  });

  it('toFailure adds the number of attempts if there were several', () => {
    const error = driveError('timeout', { retryable: true });
    error.service = 'Google Drive';
    const text = catalogue.errors.timeout.replace('__service__', 'Google Drive');
    errorText(WITHOUT_CATALOGUE, error).should.equal(text);
    error.attempts = 3;
    errorText(WITHOUT_CATALOGUE, error).should.equal(`${text} Attempts: 3.`);
  });

  it('toFailure quotes the received ids before the number of attempts', () => {
    const error = driveError('not_found');
    error.received = "file (msg.payload) 'a__b__'";
    error.attempts = 2;
    errorText(WITHOUT_CATALOGUE, error).should.equal(
      `${catalogue.errors.not_found} Received: file (msg.payload) 'a__b__'. Attempts: 2.`,
    );
  });

  it('toFailure reports a bug without showing its message', () => {
    for (const [mistake, what] of [
      [new TypeError('canary'), 'TypeError'],
      ['canary', 'string'],
      [{ secret: 'canary' }, 'object'],
    ] as const) {
      const error = toFailure(WITHOUT_CATALOGUE, mistake);
      error.code.should.equal('bad_response');
      error.message.should.containEql(what);
      `${error.message}${String(error)}${JSON.stringify(error)}`.should.not.containEql('canary');
    }
  });
});
