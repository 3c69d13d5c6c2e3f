/** A size in the metadata that is older than the content. */
import should from 'should';
import { downloadFixture } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';

describe('content shorter than the size in the metadata', () => {
  const fixture = downloadFixture();

  /** The size in the first `times` responses with metadata is a byte too large. */
  function overstateSize(times: number): void {
    let count = 0;
    fixture.fault = (request) => {
      if (request.query.get('alt') === 'media' || count++ >= times) return undefined;
      const { body } = fixture.respond(request);
      return { body: { ...(body as object), size: String(fixture.content.length + 1) } };
    };
  }

  for (const length of [0, 5, 300_000]) {
    it(`content shorter than its size in the metadata is downloaded once the metadata is correct (${length} bytes)`, async () => {
      fixture.content = Buffer.alloc(length, 1);
      overstateSize(1);
      (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
      overstateSize(1);
      await fixture.toDisk(fixture.path('out'));
      (await fixture.fileNames()).should.deepEqual(['out']);
    });
  }

  it('content shorter than its size in the metadata is reported as a truncated response if the metadata stays wrong, also for an empty content', async () => {
    fixture.content = Buffer.alloc(0);
    overstateSize(Infinity);
    const { params, reason } = await rejected(fixture.toMemory(), 'network');
    should([params, reason]).deepEqual([{ reason: 'truncated' }, 'truncated']);
    await rejected(fixture.toDisk(fixture.path('out')), 'network');
    (await fixture.fileNames()).should.be.empty();
  });
});
