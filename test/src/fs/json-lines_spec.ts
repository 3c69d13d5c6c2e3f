/** Lists in files with one JSON value a line. */
import 'should';
import { type FileHandle, readFile, readdir, readlink, stat } from 'node:fs/promises';
import { JsonLinesWriter, readJsonLines } from '../../../src/fs/json-lines';
import { useDisk } from '../../support/disk';
import { useFileHandles } from '../../support/file-handles';

describe('JSON lines', () => {
  const path = useDisk();
  const replace = useFileHandles();

  it('Names with line breaks of any kind come back, and each value is one line', async () => {
    const values = [{ move: 'a\u2028b' }, { move: 'a\u2029b' }, { move: 'a\r\nb' }, { move: 'ä\u{1f600}' }];
    const writer = await JsonLinesWriter.create(path('list'));
    for (const value of values) await writer.add(value);
    await writer.close();
    // Node.js 24 ends a line there, too: https://github.com/nodejs/node/pull/57591
    (await readFile(path('list'), 'utf8')).should.not.match(/[\u2028\u2029]/);
    const read: unknown[] = [];
    for await (const value of readJsonLines(path('list'))) read.push(value);
    read.should.deepEqual(values);
  });

  it('A list that is longer than a batch is written before it is closed, and comes back in order', async () => {
    const writer = await JsonLinesWriter.create(path('list'));
    const values = Array.from({ length: 5_000 }, (_, index) => `a rather long name ${index}`);
    for (const value of values) await writer.add(value);
    (await stat(path('list'))).size.should.be.above(65_536);
    await writer.close({ flush: true });
    const read: unknown[] = [];
    for await (const value of readJsonLines(path('list'))) read.push(value);
    read.should.deepEqual(values);
  });

  it('Values are removed from the end of a list, whether or not they were written', async () => {
    const writer = await JsonLinesWriter.create(path('list'));
    const addMany = async (label: string, count: number): Promise<string[]> => {
      const values = Array.from({ length: count }, (_, index) => `${label} ä ${index}`.repeat(10));
      for (const value of values) await writer.add(value);
      return values;
    };
    const kept: string[] = [];
    for (const count of [0, 1, 300, 2_000, 5_000]) {
      kept.push(...(await addMany('kept', count)));
      const { end } = writer;
      await addMany('removed', count);
      await writer.truncate(end);
      kept.push(...(await addMany('added', 1)));
    }
    await writer.close();
    const read: unknown[] = [];
    for await (const value of readJsonLines(path('list'))) read.push(value);
    read.should.deepEqual(kept);
  });

  it('A list is complete even if the system writes only a part at once', async () => {
    type Write = (buffer: Buffer, offset: number, length: number, position: number) => unknown;
    replace<Write>(
      'write',
      (real) =>
        function (this: FileHandle, buffer, offset, length, position) {
          return real.call(this, buffer, offset, Math.min(length, 1_000), position);
        },
    );
    const writer = await JsonLinesWriter.create(path('list'));
    const values = Array.from({ length: 500 }, (_, index) => `a rather long name ${index}`);
    for (const value of values) await writer.add(value);
    await writer.close();
    const read: unknown[] = [];
    for await (const value of readJsonLines(path('list'))) read.push(value);
    read.should.deepEqual(values);
  });

  it('A list that is read only in part is closed', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const writer = await JsonLinesWriter.create(path('list'));
    for (let index = 0; index < 5_000; index++) await writer.add(`a rather long name ${index}`);
    await writer.close();
    for await (const value of readJsonLines(path('list'))) if (value === 'a rather long name 9') break;
    const open = (await readdir('/proc/self/fd')).map((fd) =>
      readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    (await Promise.all(open)).should.not.containEql(path('list'));
  });
});
