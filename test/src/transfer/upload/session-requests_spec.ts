/**
 * The URL of an upload session, and the `Range` of its responses.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import should from 'should';
import { type DriveError, type ErrorCode, isDriveError } from '../../../../src/errors';
import { bytes } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';
import { UploadService } from '../../../support/http/upload-service';

const SIZE = 6_000_000;
const content = bytes(SIZE);

describe('upload session URL', () => {
  const fixture = uploadFixture();

  const upload = () => fixture.upload({ data: content });
  const puts = () => fixture.service.server.requests.filter(({ method }) => method === 'PUT');
  const starts = () => fixture.service.requestsFor('resumable');

  it('rejects a session URL that is missing, invalid, or neither https nor on this machine', async () => {
    const cases: [Record<string, string>, ErrorCode, string][] = [
      [{}, 'bad_response', 'bad_response_missing'],
      [{ Location: '' }, 'bad_response', 'bad_response_missing'],
      [{ Location: 'http://[' }, 'bad_response', 'bad_response_type'],
      [{ Location: 'ftp://127.0.0.1/SECRET' }, 'bad_response', 'bad_response_type'],
      [{ Location: 'mailto:SECRET' }, 'bad_response', 'bad_response_type'],
      [{ Location: 'https://SECRET@127.0.0.1/' }, 'bad_response', 'bad_response_type'],
      [{ Location: 'http://example.com/session?upload_id=SECRET' }, 'insecure_url', 'insecure_url'],
    ];
    for (const [headers, code, text] of cases) {
      fixture.service.fault = ({ query }) =>
        query.get('uploadType') === 'resumable' ? { headers } : undefined;
      const { message, stack, params } = await rejected(upload(), code, text);
      `${message}${stack}`.should.not.containEql('SECRET');
      if (code === 'bad_response') should(params).deepEqual({ member: 'Location' });
    }
    puts().should.be.empty();
  });

  it('fails with bad_response if a 308 has an invalid Range', async () => {
    for (const range of ['bytes=5-10', 'items=0-5', `bytes=0-${SIZE}`]) {
      fixture.service.fault = ({ method }) =>
        method === 'PUT' ? { status: 308, headers: { Range: range } } : undefined;
      await rejected(upload(), 'bad_response');
    }
  });

  it('sends the access token to a session URL only at the configured origins', async () => {
    const other = await UploadService.start();
    try {
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType') !== 'resumable') return undefined;
        return other.handle(seen);
      };
      await upload();
      other.files.length.should.equal(1);
      should(other.server.requests[0]?.headers.authorization).be.undefined();
      should(starts()[0]?.headers.authorization).equal('Bearer access-token');
    } finally {
      await other.close();
    }
  });

  it('never reveals the session URL in an error', async () => {
    fixture.service.fault = ({ method }) =>
      method === 'PUT' ? { status: 418, body: 'SESSION-SECRET' } : undefined;
    const error: unknown = await upload().catch((caught: unknown) => caught);
    isDriveError(error).should.be.true();
    const { message, stack, ...rest } = error as DriveError;
    `${message}${stack}${JSON.stringify(rest)}`.should.not.match(/SESSION-SECRET|session\/s0/);
  });
});
