/** Metadata may be older than the content: the content's own length counts. */
import { join } from 'node:path';
import should from 'should';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';

describe('a content shorter than its metadata says', () => {
  const at = downloadFixture();

  /** The metadata says a byte too many, so often. */
  function more(times: number): void {
    let count = 0;
    at.fault = (seen) => {
      if (seen.query.get('alt') === 'media' || count++ >= times) return undefined;
      const { body } = at.answer(seen);
      return { body: { ...(body as object), size: String(at.content.length + 1) } };
    };
  }

  for (const length of [0, 5, 300_000]) {
    it(`arrives, where it is of ${length} bytes, once the metadata is right`, async () => {
      at.content = Buffer.alloc(length, 1);
      more(1);
      (await at.toMemory()).content.equals(at.content).should.be.true();
      more(1);
      await at.toDisk(join(at.folder, 'out'));
      (await at.names()).should.deepEqual(['out']);
    });
  }

  it('is a broken line where it stays so, also without a byte', async () => {
    at.content = Buffer.alloc(0);
    more(Infinity);
    const { params, reason } = await rejected(at.toMemory(), 'network');
    should([params, reason]).deepEqual([{ reason: 'truncated' }, 'truncated']);
    await rejected(at.toDisk(join(at.folder, 'out')), 'network');
    (await at.names()).should.be.empty();
  });
});
