/** Small files, sent in one request: RFC 2387. https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart */
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import { bytes } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import type { ReceivedRequest } from '../../../support/http/scripted-service';
import { uploadFixture } from '../../../support/client/upload-fixture';
import { chooseUploadType } from '../../../../src/transfer/upload/multipart';

const isMultipart = ({ query }: ReceivedRequest): boolean => query.get('uploadType') === 'multipart';

describe('multipart upload', () => {
  const fixture = uploadFixture();
  const requests = () => fixture.service.requestsFor('multipart');
  const content = bytes(2_500_000);

  it('sends metadata and content in one request with a Content-Length', async () => {
    await fixture.upload({ data: 'abc' }, { mimeType: 'text/csv' });
    const [only, ...more] = requests();
    more.should.be.empty();
    should(only?.headers['content-length']).equal(String(only?.body.length));
    should(only?.headers['content-type']).match(/^multipart\/related; boundary=[\w-]{1,70}$/);
    const text = only?.body.toString() ?? '';
    text.should.match(/^--\S+\r\nContent-Type: application\/json; charset=UTF-8\r\n\r\n\{.*\}\r\n--/);
    text.should.match(/\r\nContent-Type: text\/csv\r\n\r\nabc\r\n--\S+--\r\n$/);
  });

  it('retries with the same id until the file is created', async () => {
    const path = await fixture.onDisk(content);
    let count = 0;
    fixture.service.fault = (seen) => {
      if (!isMultipart(seen) || ++count > 3) return undefined;
      return count === 1 ? 'reset' : { status: 503 };
    };
    await fixture.upload({ path });
    requests().length.should.equal(4);
    fixture.onlyFile().content.equals(content).should.be.true();
  });

  it('finds the file by its id if only the response was lost', async () => {
    let count = 0;
    fixture.service.fault = (seen) => {
      if (!isMultipart(seen) || count++ > 0) return undefined;
      fixture.service.handle(seen);
      return 'reset';
    };
    const { file, created } = await fixture.upload({ data: content });
    created.should.be.true();
    should(file.id).equal(fixture.onlyFile().id);
    requests().length.should.equal(2);
  });

  it('reports that the outcome is unknown if no response to the content arrives, but not if none was sent', async () => {
    for (const [path, isUnknown] of [
      [/generateIds/, false],
      [/upload/, true],
    ] as const) {
      fixture.restart({ retryFor: 0 });
      fixture.service.fault = (seen) => (path.test(seen.path) ? 'reset' : undefined);
      (await rejected(fixture.upload({ data: 'x' }), 'network')).isOutcomeUnknown.should.equal(isUnknown);
    }
  });

  it('reports that the outcome is unknown if the response is lost, and each repetition is refused', async () => {
    let lost = 0;
    fixture.service.fault = (seen) =>
      isMultipart(seen) ? (lost++ === 0 ? 'reset' : { status: 429 }) : undefined;
    (await rejected(fixture.upload({ data: 'x' }), 'rate_limited')).isOutcomeUnknown.should.be.true();
  });

  it('fails with conflict after a 409 if no file has the id', async () => {
    fixture.service.fault = (seen) => (isMultipart(seen) ? { status: 409 } : undefined);
    await rejected(fixture.upload({ data: 'x' }), 'conflict', 'conflict_refused');
    fixture.restart({ service: { can: CAPABILITIES.custom } });
    fixture.service.fault = (seen) => (isMultipart(seen) ? { status: 409 } : { status: 404 });
    await rejected(fixture.upload({ data: 'x' }), 'conflict', 'conflict_refused');
  });

  it('finds the file by its id if the response is invalid JSON', async () => {
    fixture.service.fault = (seen) => {
      if (!isMultipart(seen)) return undefined;
      fixture.service.handle(seen);
      return { body: '{"id":"cut sho' };
    };
    const { file, created } = await fixture.upload({ data: content });
    created.should.be.true();
    should(file.id).equal(fixture.onlyFile().id);
    requests().length.should.equal(1);
    fixture.service.fault = (seen) => (isMultipart(seen) ? { body: '<html>sign in</html>' } : undefined);
    await rejected(fixture.upload({ data: content }), 'bad_response', 'bad_response_no_json');
  });

  it('gives up when connections are reset for longer than the retry budget', async () => {
    fixture.service.fault = (seen) => (isMultipart(seen) ? 'reset' : undefined);
    await rejected(fixture.upload({ data: content }), 'network');
    requests().length.should.be.within(3, 20);
  });

  it('reads the file again from the start when it is replayed after a 401', async () => {
    const path = await fixture.onDisk(content);
    let count = 0;
    fixture.service.fault = (seen) => (isMultipart(seen) && count++ === 0 ? { status: 401 } : undefined);
    await fixture.upload({ path });
    fixture.onlyFile().content.equals(content).should.be.true();
    count = 0;
    fixture.service.fault = (seen) => (isMultipart(seen) ? { status: 401 } : undefined);
    await rejected(fixture.upload({ path }), 'sign_in_required');
  });

  it('a multipart upload does not follow redirects', async () => {
    fixture.service.fault = (seen) =>
      isMultipart(seen) ? { status: 307, headers: { Location: '/x' } } : undefined;
    await rejected(fixture.upload({ data: 'x' }), 'bad_response', 'bad_response_redirect');
  });

  describe('at a custom service', () => {
    beforeEach(() => fixture.restart({ service: { can: CAPABILITIES.custom } }));

    const noIds = ({ path }: ReceivedRequest) => (path.endsWith('generateIds') ? { status: 404 } : undefined);

    it('sends uploadType as the only parameter and no id, and is never repeated', async () => {
      fixture.service.fault = (seen) => (isMultipart(seen) ? 'reset' : noIds(seen));
      await rejected(fixture.upload({ data: 'x' }), 'network');
      requests()
        .map(({ url }) => url)
        .should.deepEqual(['/upload/drive/v3/files?uploadType=multipart']);
      requests()[0]?.body.toString().should.not.match(/"id"/);
    });

    for (const status of [400, 404, 405, 501]) {
      it(`sends a large file as multipart if starting a session returns ${status}`, async () => {
        const large = bytes(6_000_000);
        const path = await fixture.onDisk(large);
        fixture.service.fault = (seen) =>
          seen.query.get('uploadType') === 'resumable' ? { status } : noIds(seen);
        await fixture.upload({ path });
        fixture.onlyFile().content.equals(large).should.be.true();
      });
    }

    it('uses a session if the service supports it, but starts no second one once all content was sent', async () => {
      const large = bytes(6_000_000);
      fixture.service.fault = noIds;
      await fixture.upload({ data: large });
      fixture.onlyFile().content.equals(large).should.be.true();
      let puts = 0;
      fixture.service.fault = (seen) => {
        if (seen.method !== 'PUT') return noIds(seen);
        return puts++ === 0 ? 'reset' : { status: 404 };
      };
      await rejected(fixture.upload({ data: large }), 'service_unavailable', 'service_unavailable_outcome');
      fixture.service.requestsFor('resumable').length.should.equal(2);
    });

    it('requests the fields that the response lacks, and verifies them', async () => {
      let metadataRequests = 0;
      fixture.service.fault = (seen) => {
        if (isMultipart(seen)) {
          fixture.service.handle(seen);
          return { body: { id: fixture.service.files[0]?.id, name: 'x' } };
        }
        if (seen.path.startsWith('/drive/v3/files/made')) metadataRequests += 1;
        return noIds(seen);
      };
      const { file } = await fixture.upload({ data: 'abc' });
      metadataRequests.should.equal(1);
      should(file).containEql({ size: '3', md5Checksum: '900150983cd24fb0d6963f7d28e17f72' });
    });
  });
});

describe('chooseUploadType', () => {
  for (const [length, expected] of [
    [0, 'multipart'],
    [5_000_000, 'multipart'],
    [5_000_001, 'resumable'],
  ] as const) {
    it(`chooseUploadType returns ${expected} for ${length} bytes`, () =>
      should(chooseUploadType(length)).equal(expected));
  }
});
