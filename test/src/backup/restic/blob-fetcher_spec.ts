import 'should';
import { BlobFetcher } from '../../../../src/backup/restic/blob-fetcher';
import type { LocatedBlob } from '../../../../src/backup/restic/pack';

const MIB = 1024 * 1024;

describe('BlobFetcher', () => {
  let requests: string[];
  let answers: (() => void)[];
  let fetcher: BlobFetcher;

  beforeEach(() => {
    requests = [];
    answers = [];
    const readPack = (pack: string, { start, end } = { start: 0, end: 0 }): Promise<Buffer> => {
      requests.push(`${pack} ${start}-${end}`);
      return new Promise((resolve) => answers.push(() => resolve(Buffer.alloc(end - start, pack))));
    };
    const openBlob = (sealed: Buffer): Buffer => Buffer.from(sealed);
    fetcher = new BlobFetcher(
      { readPack, openBlob },
      () => undefined,
      () => Promise.reject(new Error('damaged')),
    );
  });

  function announce(id: string, pack: string, offset: number, length: number): void {
    const blob: LocatedBlob = { id, pack, offset, length, isTree: false };
    fetcher.announce(blob);
  }

  it('requests what is needed next, and at once as much of what follows as it may', async () => {
    for (const pack of 'abcdef') announce(`of ${pack}`, pack, 0, 4 * MIB);
    const first = fetcher.take('of a');
    requests.should.eql(['a', 'b', 'c', 'd'].map((pack) => `${pack} 0-${4 * MIB}`));
    answers[0]?.();
    (await first).toString('latin1', 0, 2).should.equal('aa');
    // There is room for another one.
    requests[4]!.should.equal(`e 0-${4 * MIB}`);
    requests.should.have.length(5);
  });

  it('fetches blobs that are near each other with one request, in any order', async () => {
    announce('last', 'a', 300_000, 100);
    announce('first', 'a', 0, 200_000);
    announce('far', 'a', 600_000, 100);
    announce('first', 'a', 0, 200_000);
    const last = fetcher.take('last');
    const twice = [fetcher.take('first'), fetcher.take('first')];
    const far = fetcher.take('far');
    requests.should.eql(['a 0-300100', 'a 600000-600100']);
    for (const answer of answers) answer();
    (await Promise.all([last, ...twice, far]))
      .map(({ length }) => length)
      .should.eql([...[100, 200_000, 200_000, 100]]);
  });

  it('forgets a blob that isn’t needed', async () => {
    announce('a', 'a', 0, 100);
    announce('b', 'b', 0, 100);
    fetcher.skip('a');
    const taken = fetcher.take('b');
    answers[0]?.();
    await taken;
    requests.should.eql(['b 0-100']);
  });
});
