/** A download that is run again goes on where it was, if the file is still the same: docs/how-it-works.md, "Transfers that break". */
import { spawnSync } from 'node:child_process';
import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { readPartName } from '../../../src/download/part-name';
import { bytes, md5 } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import type { Seen } from '../../support/http/scripted-service';

const SIZE = 1_000_003;
const HELD = 400_000;
const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

/** A process that has been there. */
const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

describe('a download that is run again', () => {
  const at = downloadFixture();
  const inFolder = (name: string): string => join(at.folder, name);
  const parts = async (): Promise<string[]> =>
    (await at.names()).filter((each) => readPartName(each) !== undefined);
  const asked = () => at.fetches().map(({ headers }) => headers.range);

  beforeEach(() => {
    at.content = bytes(SIZE);
    at.restart({ retryFor: 0 });
  });

  /** The line breaks, and the budget is used up. @returns the part that is left */
  async function interrupted(name = 'out', held = HELD): Promise<string> {
    at.fault = (seen) => (isContent(seen) ? { ...at.answer(seen), cutAfter: held } : undefined);
    await rejected(at.toDisk(inFolder(name)), 'network');
    at.fault = () => undefined;
    at.wire.seen.length = 0;
    const part = (await parts()).find((each) => readPartName(each)?.target === name);
    return inFolder(part ?? 'none');
  }

  /** As if another process had written it. */
  async function as(pid: number, part: string): Promise<string> {
    const path = part.replace(`.${process.pid}-`, `.${pid}-`);
    await rename(part, path);
    return path;
  }

  async function arrives(): Promise<void> {
    await at.toDisk(inFolder('out'));
    md5(await readFile(inFolder('out'))).should.equal(md5(at.content));
  }

  async function arrivesAlone(...ranges: (string | undefined)[]): Promise<void> {
    await arrives();
    asked().should.deepEqual(ranges);
    (await at.names()).should.deepEqual(['out']);
  }

  it('goes on where an error had ended it', async () => {
    await interrupted();
    await arrivesAlone(`bytes=${HELD}-`);
  });

  it('goes on where it was cancelled', async () => {
    at.wire.before((seen, { response }) => {
      if (!isContent(seen)) return {};
      response.writeHead(200, { 'Content-Length': String(SIZE) });
      response.write(at.content.subarray(0, HELD));
      return 'handled';
    });
    const abort = new AbortController();
    const onProgress = (): void => abort.abort();
    await rejected(at.toDisk(inFolder('out'), { onProgress }, { signal: abort.signal }), 'cancelled');
    at.wire.before(undefined);
    at.wire.seen.length = 0;
    const [part = ''] = await parts();
    const { length } = await readFile(inFolder(part));
    length.should.be.above(0);
    await arrivesAlone(`bytes=${length}-`);
  });

  it('goes on where a killed process was, in a container too, whose processes have the same number', async () => {
    await as(deadPid(), await interrupted());
    await arrivesAlone(`bytes=${HELD}-`);
  });

  it('goes on where the machine was switched off, whoever has the number now', async () => {
    const part = await as(process.ppid, await interrupted());
    await utimes(part, 1_000_000, 1_000_000);
    await arrivesAlone(`bytes=${HELD}-`);
  });

  it('leaves a part alone that another process is writing', async () => {
    const part = await as(process.ppid, await interrupted());
    await arrives();
    asked().should.deepEqual([undefined]);
    (await readFile(part)).length.should.equal(HELD);
  });

  it('goes on from run to run, with the longest of several', async () => {
    await interrupted();
    const short = await interrupted('out', 100_000);
    asked().should.be.empty();
    (await readFile(short)).length.should.equal(HELD + 100_000);
    await writeFile(short.replace(/-\w+\.part$/, '-00000000.part'), at.content.subarray(0, 1_000));
    await arrivesAlone(`bytes=${HELD + 100_000}-`);
  });

  it('tells how much was there already, first of all', async () => {
    await interrupted();
    const told: unknown[][] = [];
    await at.toDisk(inFolder('out'), { onProgress: (...each) => told.push(each) });
    should(told[0]).deepEqual([HELD, SIZE, HELD]);
    should(told.at(-1)).deepEqual([SIZE, SIZE, HELD]);
  });

  for (const [what, change] of [
    ['bytes', () => (at.content = bytes(SIZE, 99))],
    ['length', () => (at.content = bytes(SIZE + 1))],
  ] as const) {
    it(`begins anew where the file on the drive has other ${what}, and clears the old part away`, async () => {
      await interrupted();
      change();
      await arrivesAlone(undefined);
    });
  }

  it('begins anew where another file is downloaded to the same path', async () => {
    await interrupted();
    at.file = { ...at.file, id: 'G' };
    await arrivesAlone(undefined);
  });

  it('asks for nothing where all had come', async () => {
    await writeFile(await interrupted(), at.content);
    await arrivesAlone();
  });

  it('begins anew where the part is longer than the file', async () => {
    await writeFile(await interrupted(), Buffer.concat([at.content, Buffer.alloc(1)]));
    await arrivesAlone(undefined);
  });

  for (const [what, held, ranges] of [
    ['in the middle', HELD, [`bytes=${HELD}-`, undefined]],
    ['although it is as long as the file', SIZE, [undefined]],
  ] as const) {
    it(`begins anew, once and at once, where the part has holes ${what}`, async () => {
      const part = await interrupted();
      await writeFile(part, Buffer.concat([at.content.subarray(0, 100_000), Buffer.alloc(held - 100_000)]));
      await arrivesAlone(...ranges);
    });
  }

  it('does not give up, then, while bytes come that the part had as well', async () => {
    const part = await interrupted();
    at.restart({ retryFor: 60_000 });
    await writeFile(part, Buffer.alloc(HELD));
    at.fault = (seen) => {
      if (!isContent(seen) || at.fetches().length === 1) return undefined;
      at.under.clock.elapse(40_000);
      return { ...at.answer(seen), cutAfter: 100_000 };
    };
    await arrives();
    asked().should.have.length(12);
  });

  it('says that the content is wrong where it is so from the beginning, too, and leaves nothing', async () => {
    await writeFile(await interrupted(), Buffer.alloc(HELD));
    at.fault = (seen) => (isContent(seen) ? { ...at.answer(seen), body: bytes(SIZE, 2) } : undefined);
    await rejected(at.toDisk(inFolder('out')), 'checksum_mismatch');
    (await at.names()).should.be.empty();
  });

  it('begins anew where the service has no ranges any more', async () => {
    await interrupted();
    at.fault = (seen) => (isContent(seen) ? { body: at.content } : undefined);
    await arrivesAlone(`bytes=${HELD}-`);
  });

  it('begins anew where the range is refused', async () => {
    await interrupted();
    at.restart({});
    at.fault = (seen) => (seen.headers.range === undefined ? undefined : { status: 416 });
    await arrivesAlone(`bytes=${HELD}-`, undefined);
  });

  it('leaves nothing where the service says too little to know the content again', async () => {
    at.file = { ...at.file, md5Checksum: undefined, sha256Checksum: undefined };
    await interrupted();
    (await at.names()).should.be.empty();
    at.file = { ...at.file, md5Checksum: md5(at.content), size: undefined };
    await interrupted();
    (await at.names()).should.be.empty();
  });

  it('leaves nothing where it would end the same way again', async () => {
    await interrupted();
    at.fault = (seen) => (isContent(seen) ? { status: 404 } : undefined);
    await rejected(at.toDisk(inFolder('out')), 'not_found');
    (await at.names()).should.be.empty();
  });

  it('leaves no part that holds nothing', async () => {
    await interrupted('out', 0);
    (await at.names()).should.be.empty();
  });

  it('gives each of two at once a part of its own', async () => {
    await interrupted();
    const during: number[] = [];
    const onProgress = (): void => void parts().then(({ length }) => during.push(length));
    await Promise.all([1, 2].map(() => at.toDisk(inFolder('out'), { onProgress })));
    Math.max(...during).should.equal(2);
    asked()
      .sort()
      .should.deepEqual([`bytes=${HELD}-`, undefined]);
    md5(await readFile(inFolder('out'))).should.equal(md5(at.content));
    (await at.names()).should.deepEqual(['out']);
  });

  it('leaves parts of other files for a week, then clears them away', async () => {
    const other = await interrupted('other');
    const old = await interrupted('old');
    await utimes(old, 1_000_000, Date.now() / 1_000 - 8 * 24 * 3_600);
    await writeFile(inFolder('.mine.part'), 'x');
    await arrives();
    (await at.names()).sort().should.deepEqual(['.mine.part', other.slice(at.folder.length + 1), 'out']);
  });

  it('goes on under a number, too, where the name is taken meanwhile', async () => {
    at.fault = (seen) => (isContent(seen) ? { ...at.answer(seen), cutAfter: HELD } : undefined);
    await rejected(at.toDisk(inFolder('out'), { overwrite: 'rename' }), 'network');
    at.fault = () => undefined;
    await writeFile(inFolder('out'), 'old');
    const { path } = await at.toDisk(inFolder('out'), { overwrite: 'rename' });
    path.should.equal(inFolder('out (1)'));
    (await readFile(path)).equals(at.content).should.be.true();
    should(asked().at(-1)).equal(`bytes=${HELD}-`);
  });
});
