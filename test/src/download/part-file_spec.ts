/** The file beside the target until all is there: docs/how-it-works.md, "Transfers that break". */
import { readFile, readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import should from 'should';
import { PartFile, dropBytes } from '../../../src/download/part-file';
import { pump } from '../../../src/download/pump';
import { bytes, sha256 } from '../../support/content';
import { useDisk } from '../../support/disk';
import { rejected } from '../../support/client/rejected';

describe('PartFile', () => {
  const disk = useDisk();
  const content = bytes(600_000);
  const file = { id: 'F', sha256Checksum: sha256(content) };
  const remote = { file, isKnown: true, size: content.length, algorithm: 'sha256' } as const;
  const part = (): Promise<PartFile> => PartFile.at({ folder: disk(), name: 'out', target: 'out' });

  async function begun(): Promise<PartFile> {
    const made = await part();
    await made.resume(remote, undefined);
    should(made.position).equal(0);
    await made.begin(remote);
    const events = { onBytes: () => undefined, onFailure: () => undefined };
    await pump(Readable.from([content]), made.open(events));
    return made;
  }

  it('goes on behind what a short write has taken', () => {
    const buffers = ['abc', 'de', 'fgh'].map((text) => Buffer.from(text));
    const texts = (bytes: number): string[] => dropBytes(buffers, bytes).map(String);
    texts(0).should.deepEqual(['abc', 'de', 'fgh']);
    texts(1).should.deepEqual(['bc', 'de', 'fgh']);
    texts(3).should.deepEqual(['de', 'fgh']);
    texts(7).should.deepEqual(['h']);
    texts(8).should.deepEqual([]);
  });

  it('is taken over with all that is in it, and its checksum', async () => {
    await (await begun()).keep();
    const again = await part();
    await again.resume(remote, undefined);
    should(again.position).equal(content.length);
    should(again.digest('sha256')).equal(file.sha256Checksum);
    await again.discard();
    (await readdir(disk())).should.be.empty();
  });

  it('is left alone, and not cleared away, while this process writes it', async () => {
    const first = await begun();
    const second = await begun();
    await second.clearLeftovers();
    const paths = [await first.finish(), await second.finish()];
    for (const path of paths) (await readFile(path)).equals(content).should.be.true();
    await first.discard();
    await second.discard();
    (await readdir(disk())).should.be.empty();
  });

  it('is kept where a cancel ends the looking through', async () => {
    await (await begun()).keep();
    const again = await part();
    await rejected(again.resume(remote, AbortSignal.abort()), 'cancelled');
    await again.keep();
    (await readdir(disk())).should.have.length(1);
  });

  it('is taken over by one of two who want it', async () => {
    await (await begun()).keep();
    const both = [await part(), await part()];
    await Promise.all(both.map((each) => each.resume(remote, undefined)));
    both
      .map(({ position }) => position)
      .sort()
      .should.deepEqual([0, content.length]);
    for (const each of both) await each.discard();
  });
});
