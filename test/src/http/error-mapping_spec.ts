/**
 * Error codes of error responses, and whether they are retried.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import should from 'should';
import { errorFromResponse, explainNoStorage } from '../../../src/http/error-mapping';

const body = (reason: string) => ({ error: { code: 403, message: 'no', errors: [{ reason }] } });

describe('errorFromResponse', () => {
  for (const [status, reason, code, retryable] of [
    [403, 'rateLimitExceeded', 'rate_limited', true],
    [429, 'rateLimitExceeded', 'rate_limited', true],
    [403, 'userRateLimitExceeded', 'rate_limited', true],
    [500, 'backendError', 'service_unavailable', true],
    [401, 'authError', 'sign_in_required', false],
    [403, 'dailyLimitExceeded', 'quota_exceeded', false],
    [429, 'dailyLimitExceeded', 'quota_exceeded', false],
    [403, 'downloadQuotaExceeded', 'quota_exceeded', false],
    [403, 'quotaExceeded', 'quota_exceeded', false],
    [403, 'storageQuotaExceeded', 'quota_exceeded', false],
    [403, 'numChildrenInNonRootLimitExceeded', 'quota_exceeded', false],
    [403, 'insufficientFilePermissions', 'permission_denied', false],
    [403, 'appNotAuthorizedToFile', 'permission_denied', false],
    [403, 'insufficientPermissions', 'permission_denied', false],
    [403, 'domainPolicy', 'permission_denied', false],
    [403, 'forbidden', 'permission_denied', false],
    [403, 'accessNotConfigured', 'permission_denied', false],
    [404, 'notFound', 'not_found', false],
    [400, 'badRequest', 'bad_response', false],
    [400, 'invalid', 'bad_response', false],
    [409, 'conflict', 'conflict', false],
    [403, 'parentNotAFolder', 'invalid_input', false],
    [403, 'cyclicalParent', 'invalid_input', false],
    [403, 'myDriveHierarchyDepthLimitExceeded', 'invalid_input', false],
    [403, 'teamDriveHierarchyTooDeep', 'invalid_input', false],
    [403, 'fileNotDownloadable', 'not_downloadable', false],
    [403, 'fileNotExportable', 'not_downloadable', false],
    [403, 'exportSizeLimitExceeded', 'not_downloadable', false],
    [403, 'cannotDownloadAbusiveFile', 'not_downloadable', false],
  ] as const) {
    it(`errorFromResponse maps ${status} ${reason} to ${code}${retryable ? ', retryable' : ''}`, () => {
      const error = errorFromResponse(status, body(reason));
      [error.code, error.retryable, error.status, error.reason].should.deepEqual([
        code,
        retryable,
        status,
        reason,
      ]);
    });
  }

  for (const [status, code, retryable, text] of [
    [400, 'bad_response', false, 'bad_response_refused'],
    [401, 'sign_in_required', false, 'sign_in_required_refused'],
    [403, 'permission_denied', false],
    [404, 'not_found', false],
    [408, 'timeout', true],
    [409, 'conflict', false, 'conflict_refused'],
    [410, 'not_found', false],
    [418, 'bad_response', false, 'bad_response_status'],
    [429, 'rate_limited', true],
    [500, 'service_unavailable', true],
    [501, 'service_unavailable', false],
    [502, 'service_unavailable', true],
    [503, 'service_unavailable', true],
    [504, 'service_unavailable', true],
  ] as [number, string, boolean, string?][]) {
    it(`errorFromResponse maps ${status} without a known reason to ${code}${retryable ? ', retryable' : ''}`, () => {
      for (const response of [undefined, 'x', body('constructor'), { error: 'somethingNew' }]) {
        const error = errorFromResponse(status, response);
        [error.code, error.retryable, error.text].should.deepEqual([code, retryable, text ?? code]);
      }
    });
  }

  it('errorFromResponse includes the status and the reason, or a dash', () => {
    errorFromResponse(403, body('forbidden')).params.should.deepEqual({ status: 403, reason: 'forbidden' });
    errorFromResponse(418, undefined).params.should.deepEqual({ status: 418, reason: '-' });
  });

  it('errorFromResponse includes a reason only if it is a single word', () => {
    for (const response of [body('has https://address'), { error: true }, { error: [] }, { error: null }])
      should(errorFromResponse(400, response).reason).be.undefined();
    should(errorFromResponse(400, { error_code: 'rate_limit_exceeded' }).reason).equal('rate_limit_exceeded');
    should(errorFromResponse(400, { error: { status: 'INVALID_ARGUMENT' } }).reason).equal(
      'INVALID_ARGUMENT',
    );
    should(errorFromResponse(503, undefined, { retryAfter: 5_000 }).retryAfter).equal(5_000);
  });
});

describe('explainNoStorage', () => {
  it('explainNoStorage replaces the text only of an error about storage', () => {
    const full = errorFromResponse(403, body('storageQuotaExceeded'));
    explainNoStorage(full).should.containEql({
      ...{ code: full.code, status: 403, reason: 'storageQuotaExceeded' },
      text: 'quota_exceeded_service_account',
    });
    const other = errorFromResponse(403, body('forbidden'));
    explainNoStorage(other).should.equal(other);
  });
});
