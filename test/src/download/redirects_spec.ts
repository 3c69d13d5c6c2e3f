/** Where a content's address leads: RFC 9110 15.4. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import { ScriptedService, type Seen } from '../../support/http/scripted-service';

const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('a download that is led elsewhere', () => {
  const at = downloadFixture();

  beforeEach(() => {
    at.content = bytes(1_000_003);
  });

  it('follows a redirect to another origin without the token, and goes on there with a range', async () => {
    const other = await ScriptedService.start();
    try {
      let count = 0;
      other.on((seen) => {
        const answer = at.answer({
          ...seen,
          path: '/drive/v3/files/F',
          query: new URLSearchParams('alt=media'),
        });
        return count++ === 0 ? { ...answer, cutAfter: 300_000 } : answer;
      });
      at.fault = (seen) =>
        isContent(seen) ? { status: 302, headers: { Location: `${other.url}/bytes?sig=1` } } : undefined;
      const path = join(at.folder, 'out');
      await at.toDisk(path);
      (await readFile(path)).equals(at.content).should.be.true();
      (await at.names()).should.deepEqual(['out']);
      other.seen.map(({ headers }) => headers.range).should.deepEqual([undefined, 'bytes=300000-']);
      for (const { headers } of other.seen) should(headers.authorization).be.undefined();
      should(at.fetches()[0]?.headers.authorization).equal('Bearer access-token');
    } finally {
      await other.close();
    }
  });

  for (const [what, location, code] of [
    ['to http elsewhere', 'http://example.com/', 'insecure_url'],
    ['without a target', undefined, 'bad_response'],
    ['to no address', 'http://[', 'bad_response'],
    ['in a circle', '/drive/v3/files/F?alt=media', 'bad_response'],
  ] as const) {
    it(`refuses a redirect ${what}`, async () => {
      const headers: Record<string, string> = location === undefined ? {} : { Location: location };
      at.fault = (seen) => (isContent(seen) ? { status: 302, headers } : undefined);
      await rejected(at.toMemory(), code);
    });
  }
});
