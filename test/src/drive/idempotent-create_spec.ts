/**
 * Ids that are fetched before a file is created.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { PLAIN_UPLOAD } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import type { Reply, ReceivedRequest } from '../../support/http/scripted-service';
import { uploadFixture } from '../../support/client/upload-fixture';

describe('IdPool', () => {
  const fixture = uploadFixture();
  const idRequests = () => fixture.service.server.requests.filter(({ path }) => path.endsWith('generateIds'));
  const upload = () => fixture.upload({ data: 'x' }, PLAIN_UPLOAD);
  const respondToIdRequests = (reply: Reply) => {
    fixture.service.fault = ({ path }: ReceivedRequest) => (path.endsWith('generateIds') ? reply : undefined);
  };

  it('IdPool fetches 50 ids at a time and uses each only once', async () => {
    for (let index = 0; index < 51; index++) await upload();
    idRequests().length.should.equal(2);
    should(idRequests()[0]?.query.get('count')).equal('50');
    new Set(fixture.service.files.map(({ id }) => id)).size.should.equal(51);
  });

  it('IdPool uses no id of the former user after another one has signed in', async () => {
    await upload();
    fixture.client.forgetUser();
    await upload();
    idRequests().length.should.equal(2);
  });

  it('IdPool uses no id that was requested before another user signed in', async () => {
    let signIn = (): void => fixture.client.forgetUser();
    fixture.service.fault = ({ path }: ReceivedRequest) => {
      if (!path.endsWith('generateIds')) return undefined;
      signIn();
      signIn = () => undefined;
      return undefined;
    };
    await upload();
    idRequests().length.should.equal(2);
  });

  for (const body of [{}, { ids: [] }, { ids: 'x' }, { ids: [5] }, { ids: [''] }, '<html>']) {
    it(`IdPool rejects the response ${JSON.stringify(body)}`, async () => {
      respondToIdRequests({ body });
      await rejected(upload(), 'bad_response');
      fixture.service.files.should.be.empty();
    });
  }

  it('IdPool requests ids only once from a custom service that generates none', async () => {
    fixture.restart({ service: { can: CAPABILITIES.custom } });
    respondToIdRequests({ status: 404 });
    await upload();
    await upload();
    idRequests().length.should.equal(1);
    fixture.service.files.map(({ metadata }) => metadata['id']).should.deepEqual([undefined, undefined]);
  });

  it('IdPool requests ids again after permission_denied', async () => {
    fixture.restart({ service: { can: CAPABILITIES.custom } });
    respondToIdRequests({ status: 403 });
    await rejected(upload(), 'permission_denied');
    fixture.service.fault = () => undefined;
    await upload();
    should(fixture.onlyFile().id).startWith('id-');
  });
});
