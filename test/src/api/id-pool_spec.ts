/**
 * Ids that are fetched before a file is made.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import should from 'should';
import { PLAIN_UPLOAD } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import type { Reply, ReceivedRequest } from '../../support/http/scripted-service';
import { uploadFixture } from '../../support/client/upload-fixture';

describe('ids for new files', () => {
  const fixture = uploadFixture();
  const asked = () => fixture.service.server.requests.filter(({ path }) => path.endsWith('generateIds'));
  const upload = () => fixture.upload({ data: 'x' }, PLAIN_UPLOAD);
  const answerIds = (reply: Reply) => {
    fixture.service.fault = ({ path }: ReceivedRequest) => (path.endsWith('generateIds') ? reply : undefined);
  };

  it('are fetched in stock, and none is used twice', async () => {
    for (let index = 0; index < 51; index++) await upload();
    asked().length.should.equal(2);
    should(asked()[0]?.query.get('count')).equal('50');
    new Set(fixture.service.files.map(({ id }) => id)).size.should.equal(51);
  });

  for (const body of [{}, { ids: [] }, { ids: 'x' }, { ids: [5] }, { ids: [''] }, '<html>']) {
    it(`are not taken from ${JSON.stringify(body)}`, async () => {
      answerIds({ body });
      await rejected(upload(), 'bad_response');
      fixture.service.files.should.be.empty();
    });
  }

  it('are done without where a custom service has none, which is asked once', async () => {
    fixture.restart({ service: { kind: 'custom' } });
    answerIds({ status: 404 });
    await upload();
    await upload();
    asked().length.should.equal(1);
    fixture.service.files.map(({ metadata }) => metadata['id']).should.deepEqual([undefined, undefined]);
  });

  it('are asked for again after a failure that may pass', async () => {
    fixture.restart({ service: { kind: 'custom' } });
    answerIds({ status: 403 });
    await rejected(upload(), 'permission_denied');
    fixture.service.fault = () => undefined;
    await upload();
    should(fixture.onlyFile().id).startWith('id-');
  });
});
