/** The file beside the target until the content is complete: docs/how-it-works.md, "Transfers that break". */
import { type FileHandle, readFile, readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import should from 'should';
import { PartFile, dropBytes } from '../../../../src/transfer/download/part-file';
import { PartLock } from '../../../../src/transfer/download/orphaned-parts';
import { pump } from '../../../../src/transfer/download/fetch-range';
import { FakeClock } from '../../../support/clock';
import { bytes, sha256 } from '../../../support/content';
import { useDisk } from '../../../support/disk';
import { useFileHandles } from '../../../support/file-handles';
import { rejected } from '../../../support/client/rejected';

describe('PartFile', () => {
  const disk = useDisk();
  const wrapMethod = useFileHandles();
  const content = bytes(600_000);
  const file = { id: 'F', sha256Checksum: sha256(content) };
  const remote = { file, hasMetadata: true, size: content.length, algorithm: 'sha256' } as const;
  const openPart = (signal?: AbortSignal): Promise<PartFile> =>
    PartFile.open({ folder: disk(), name: 'out', path: 'out', replaces: true }, remote, {
      clock: new FakeClock(),
      signal,
    });

  async function writtenPart(): Promise<PartFile> {
    const part = await openPart();
    should(part.position).equal(0);
    await part.restart(remote);
    const events = { onWritten: () => undefined, onError: () => undefined };
    await pump(Readable.from([content]), part.openSink(events));
    return part;
  }

  it('PartFile continues after the bytes that a short write has written', () => {
    const buffers = ['abc', 'de', 'fgh'].map((text) => Buffer.from(text));
    const texts = (bytes: number): string[] => dropBytes(buffers, bytes).map(String);
    texts(0).should.deepEqual(['abc', 'de', 'fgh']);
    texts(1).should.deepEqual(['bc', 'de', 'fgh']);
    texts(3).should.deepEqual(['de', 'fgh']);
    texts(7).should.deepEqual(['h']);
    texts(8).should.deepEqual([]);
  });

  it('PartFile resumes a released part with all its bytes and its checksum', async () => {
    await (await writtenPart()).closeForResume();
    const resumed = await openPart();
    should(resumed.position).equal(content.length);
    should(resumed.hash.digest('sha256')).equal(file.sha256Checksum);
    await resumed.discard();
    (await readdir(disk())).should.be.empty();
  });

  it('PartFile neither resumes nor removes a part that this process is writing', async () => {
    const first = await writtenPart();
    const second = await writtenPart();
    await second.removeOrphans();
    const paths = [await first.flushAndClose(), await second.flushAndClose()];
    for (const path of paths) (await readFile(path)).equals(content).should.be.true();
    await first.discard();
    await second.discard();
    (await readdir(disk())).should.be.empty();
  });

  it('PartFile has a heartbeat while it is open, new or resumed', async () => {
    const { prototype } = PartLock;
    const beating = new Set<string>();
    const { startHeartbeat, stopHeartbeat } = Object.getOwnPropertyDescriptors(prototype);
    prototype.startHeartbeat = function () {
      beating.add(this.fileName);
    };
    prototype.stopHeartbeat = function () {
      beating.delete(this.fileName);
    };
    try {
      const part = await writtenPart();
      [...beating].should.deepEqual(await readdir(disk()));
      await part.closeForResume();
      beating.size.should.equal(0);
      const resumed = await openPart();
      [...beating].should.deepEqual(await readdir(disk()));
      await resumed.flushAndClose();
      beating.size.should.equal(0);
      await resumed.discard();
    } finally {
      Object.defineProperties(prototype, { startHeartbeat, stopHeartbeat });
    }
  });

  it('PartFile leaves the part for a later download if it is cancelled while it reads the part', async () => {
    await (await writtenPart()).closeForResume();
    const abort = new AbortController();
    wrapMethod<(this: FileHandle, ...args: unknown[]) => unknown>(
      'read',
      (real) =>
        function (...args) {
          abort.abort();
          return real.apply(this, args);
        },
    );
    await rejected(openPart(abort.signal), 'cancelled');
    const resumed = await openPart();
    should(resumed.position).equal(content.length);
    await resumed.closeForResume();
    (await readdir(disk())).should.have.length(1);
  });

  it('PartFile is resumed by only one of two concurrent downloads', async () => {
    await (await writtenPart()).closeForResume();
    const both = await Promise.all([openPart(), openPart()]);
    both
      .map(({ position }) => position)
      .sort()
      .should.deepEqual([0, content.length]);
    for (const each of both) await each.discard();
  });
});
