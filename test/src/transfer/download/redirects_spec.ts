/** Redirects of requests for content: RFC 9110 15.4. hostile-responses_spec.ts has those that are refused. */
import { readFile } from 'node:fs/promises';
import should from 'should';
import { bytes } from '../../../support/content';
import { downloadFixture } from '../../../support/client/download-fixture';
import { ScriptedService } from '../../../support/http/scripted-service';

describe('redirected downloads', () => {
  const fixture = downloadFixture();

  beforeEach(() => {
    fixture.content = bytes(1_000_003);
  });

  it('redirected downloads send no token to another origin, and continue there with a range', async () => {
    const other = await ScriptedService.start();
    try {
      let count = 0;
      other.onRequest((request) => {
        const response = fixture.respond({
          ...request,
          path: '/drive/v3/files/F',
          query: new URLSearchParams('alt=media'),
        });
        return count++ === 0 ? { ...response, cutAfter: 300_000 } : response;
      });
      fixture.onContent(() => ({ status: 302, headers: { Location: `${other.url}/bytes?sig=1` } }));
      const path = fixture.path('out');
      await fixture.toDisk(path);
      (await readFile(path)).equals(fixture.content).should.be.true();
      (await fixture.fileNames()).should.deepEqual(['out']);
      other.requests.map(({ headers }) => headers.range).should.deepEqual([undefined, 'bytes=300000-']);
      for (const { headers } of other.requests) should(headers.authorization).be.undefined();
      should(fixture.contentRequests()[0]?.headers.authorization).equal('Bearer access-token');
    } finally {
      await other.close();
    }
  });
});
