/** The message of Google Drive in errors: what is shown, and what never is. */
import should from 'should';
import { errorFromResponse, serviceMessage } from '../../../src/http/error-mapping';

const body = (message: unknown, location?: unknown) => ({
  error: { code: 400, message, errors: [{ reason: 'invalid', location }] },
});

describe('serviceMessage', () => {
  it('serviceMessage names the parameter that the message is about, once', () => {
    should(serviceMessage(body('Invalid Value', 'q'))).equal('Invalid Value (q)');
    should(serviceMessage(body('Invalid query', 'q'))).equal('Invalid query (q)');
    should(serviceMessage(body('Invalid field selection fields', 'fields'))).equal(
      'Invalid field selection fields',
    );
    should(serviceMessage(body('Bad Request', 'permission.role'))).equal('Bad Request (permission.role)');
    for (const location of [undefined, 5, '', 'two words', 'x'.repeat(65), 'https://host/'])
      should(serviceMessage(body('No', location))).equal('No');
    for (const errors of [undefined, 'q', {}, [], ['q'], [null]])
      should(serviceMessage({ error: { message: 'No', errors } })).equal('No');
  });

  it('serviceMessage is a single line of limited length', () => {
    should(serviceMessage(body(' one\r\n two\u0007\tthree\u2028four '))).equal('one two three four');
    const long = serviceMessage(body('Ä b '.repeat(200))) ?? '';
    long.length.should.equal(201);
    long.should.endWith('…');
    should(serviceMessage(body('😀 '.repeat(200)))).match(/^(?:😀 ){100}…$/u);
  });

  it('serviceMessage contains no URL, no long text without spaces and no token', () => {
    should(serviceMessage(body('Visit https://host/a?key=secret#x then retry'))).equal('Visit … then retry');
    const id = '1'.repeat(44);
    should(serviceMessage(body(`File not found: ${id}. ${'aB3-_'.repeat(20)}`))).equal(
      `File not found: ${id}. …`,
    );
    for (const secret of ['ya29.abc', '1//abc', 'Bearer abc', 'eyJhbGci.x'])
      should(serviceMessage(body(`Invalid credentials ${secret}`))).be.undefined();
  });

  it('serviceMessage is undefined for other responses', () => {
    for (const response of [undefined, 'x', { error: 'invalid_grant' }, body(5), body(''), body(' \n'), []])
      should(serviceMessage(response)).be.undefined();
  });

  it('errorFromResponse uses only the messages of Google Drive', () => {
    const response = body('Invalid Value', 'q');
    should(errorFromResponse(400, response, { showsMessage: true }).serviceMessage).equal(
      'Invalid Value (q)',
    );
    should(errorFromResponse(400, response).serviceMessage).be.undefined();
  });
});
