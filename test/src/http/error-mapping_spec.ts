/**
 * Error codes of error responses, and whether they are retried.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import should from 'should';
import {
  errorFromResponse,
  explainNoStorage,
  serviceMessage,
  urlName,
  misconfiguredUrl,
} from '../../../src/http/error-mapping';
import { CAPABILITIES } from '../../../src/capabilities';
import type { Service } from '../../../src/types';
import type { DriveError } from '../../../src/errors';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import {
  type ScriptedResponse,
  useScriptedService,
  errorResponse,
} from '../../support/http/scripted-service';

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

const errorBody = (message: unknown, location?: unknown) => ({
  error: { code: 400, message, errors: [{ reason: 'invalid', location }] },
});

describe('serviceMessage', () => {
  it('serviceMessage names the parameter that the message is about, once', () => {
    should(serviceMessage(errorBody('Invalid Value', 'q'))).equal('Invalid Value (q)');
    should(serviceMessage(errorBody('Invalid query', 'q'))).equal('Invalid query (q)');
    should(serviceMessage(errorBody('Invalid field selection fields', 'fields'))).equal(
      'Invalid field selection fields',
    );
    should(serviceMessage(errorBody('Bad Request', 'permission.role'))).equal(
      'Bad Request (permission.role)',
    );
    for (const location of [undefined, 5, '', 'two words', 'x'.repeat(65), 'https://host/'])
      should(serviceMessage(errorBody('No', location))).equal('No');
    for (const errors of [undefined, 'q', {}, [], ['q'], [null]])
      should(serviceMessage({ error: { message: 'No', errors } })).equal('No');
  });

  it('serviceMessage is a single line of limited length', () => {
    should(serviceMessage(errorBody(' one\r\n two\u0007\tthree\u2028four '))).equal('one two three four');
    const long = serviceMessage(errorBody('Ä b '.repeat(200))) ?? '';
    long.length.should.equal(201);
    long.should.endWith('…');
    should(serviceMessage(errorBody('😀 '.repeat(200)))).match(/^(?:😀 ){100}…$/u);
  });

  it('serviceMessage contains no URL, no long text without spaces and no token', () => {
    should(serviceMessage(errorBody('Visit https://host/a?key=secret#x then retry'))).equal(
      'Visit … then retry',
    );
    const id = '1'.repeat(44);
    should(serviceMessage(errorBody(`File not found: ${id}. ${'aB3-_'.repeat(20)}`))).equal(
      `File not found: ${id}. …`,
    );
    for (const secret of ['ya29.abc', '1//abc', 'Bearer abc', 'eyJhbGci.x'])
      should(serviceMessage(errorBody(`Invalid credentials ${secret}`))).be.undefined();
  });

  it('serviceMessage is undefined for other responses', () => {
    for (const response of [
      undefined,
      'x',
      { error: 'invalid_grant' },
      errorBody(5),
      errorBody(''),
      errorBody(' \n'),
      [],
    ])
      should(serviceMessage(response)).be.undefined();
  });

  it('errorFromResponse uses only the messages of Google Drive', () => {
    const response = errorBody('Invalid Value', 'q');
    should(errorFromResponse(400, response, { showsMessage: true }).serviceMessage).equal(
      'Invalid Value (q)',
    );
    should(errorFromResponse(400, response).serviceMessage).be.undefined();
  });
});

describe('misconfigured-url', () => {
  const service = useScriptedService();

  const serviceOf = (more: Partial<Service>): Service => ({
    can: CAPABILITIES.custom,
    baseUrl: service.url,
    uploadUrl: service.url,
    folderMimeType: '',
    driveId: '',
    ...more,
  });
  /** @returns the error that a response causes */
  async function failure(
    response: ScriptedResponse,
    more: Partial<Service> = {},
    path = '/x',
  ): Promise<DriveError> {
    service.onRequest(() => response);
    const { engine, http } = createTestEngine(service.url, { service: serviceOf(more), retryFor: 0 });
    try {
      const work = engine.requestJson({ method: 'GET', url: service.url + path }, {});
      return await rejected(work, response.status === 404 ? 'not_found' : 'bad_response');
    } finally {
      http.close();
    }
  }

  it('a 404 without a reason from a custom service names the URL that may be wrong', async () => {
    const error = await failure({ status: 404 });
    error.text.should.equal('not_found_address');
    error.params.should.deepEqual({ address: 'baseUrl' });
    should(error.status).equal(404);
  });

  it('errors with a reason, of the Google preset or with another status name no URL', async () => {
    (await failure(errorResponse(404, 'notFound'))).text.should.equal('not_found');
    (await failure({ status: 404 }, { can: CAPABILITIES.google })).text.should.equal('not_found');
    (await failure({ status: 400 })).text.should.equal('bad_response_refused');
  });

  it('an HTML response names the property of the requested URL', async () => {
    const page = { body: '<html>' };
    const separateUpload = { uploadUrl: `${service.url}/up` };
    for (const [more, path, address] of [
      [{}, '/x', 'baseUrl'],
      [{}, '/upload/x', 'baseUrl'],
      [separateUpload, '/x', 'baseUrl'],
      [separateUpload, '/up/upload/x', 'uploadUrl'],
      [{ can: CAPABILITIES.google }, '/x', new URL(service.url).host],
    ] as [Partial<Service>, string, string][]) {
      const error = await failure(page, more, path);
      error.text.should.equal('bad_response_no_json');
      error.params.should.deepEqual({ address });
    }
  });

  it('misconfiguredUrl returns a bad_response error with the property and the status', () => {
    const error = misconfiguredUrl(urlName(serviceOf({}), service.url), 404);
    [error.code, error.text, error.status].should.deepEqual(['bad_response', 'bad_response_address', 404]);
    error.params.should.deepEqual({ address: 'baseUrl', status: 404 });
  });
});
