/** The account property that a URL error names: docs/errors.md, `not_found` and `bad_response`. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { Service } from '../../../src/types';
import type { DriveError } from '../../../src/errors';
import { urlName, misconfiguredUrl } from '../../../src/http/error-mapping';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import {
  type ScriptedResponse,
  useScriptedService,
  errorResponse,
} from '../../support/http/scripted-service';

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
