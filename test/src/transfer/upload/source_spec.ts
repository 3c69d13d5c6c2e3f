/** Reading the content of an upload: docs/errors.md, `local_file`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { type FileHandle, appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { openSource } from '../../../../src/transfer/upload/source';
import { bytes } from '../../../support/content';
import { useFileHandles } from '../../../support/file-handles';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';

type Read = (this: FileHandle, ...args: unknown[]) => unknown;

describe('source of an upload', () => {
  const fixture = uploadFixture();
  const wrapMethod = useFileHandles();

  it('rejects a missing file, a folder, a FIFO, a device and a path below a file, before anything is sent', async () => {
    const fifo = join(fixture.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const file = await fixture.onDisk('x');
    const cases: [string, string][] = [
      [join(fixture.folder, 'nothing'), 'local_file_no_source'],
      [fixture.folder, 'local_file_is_folder'],
      [fifo, 'local_file_not_regular'],
      ['/dev/null', 'local_file_not_regular'],
      [join(file, 'below'), 'local_file_not_folder'],
    ];
    for (const [path, text] of cases) {
      const error = await rejected(fixture.upload({ path }), 'local_file', text);
      should(error.params['path']).equal(path);
    }
    fixture.service.server.requests.should.be.empty();
  });

  it('fails if the file grows or shrinks while it is read, and creates nothing', async () => {
    for (const change of [
      (path: string) => appendFile(path, 'more'),
      (path: string) => writeFile(path, 'less'),
    ]) {
      const path = await fixture.onDisk(bytes(6_000_000));
      fixture.service.fault = async ({ query }) => {
        if (query.get('uploadType') === 'resumable') await change(path);
        return undefined;
      };
      await rejected(fixture.upload({ path }), 'local_file', 'local_file_changed');
      fixture.service.files.should.be.empty();
    }
  });

  it('fails if a file is empty only until another program has written it, and sends nothing', async () => {
    const path = await fixture.onDisk('');
    wrapMethod<Read>(
      'read',
      (real) =>
        function (...args) {
          writeFileSync(path, 'the beginning');
          return real.apply(this, args);
        },
    );
    await rejected(fixture.upload({ path }), 'local_file', 'local_file_changed');
    fixture.service.server.requests.should.be.empty();
  });

  // These files report a size of 0: https://man7.org/linux/man-pages/man5/proc.5.html
  if (process.platform === 'linux') {
    it('sends the whole content of a procfs file that reports a size of 0', async () => {
      await fixture.upload({ path: '/proc/cpuinfo' }, { keepModifiedTime: true });
      const { content, metadata } = fixture.onlyFile();
      content.toString().should.match(/^processor/m);
      should(metadata['modifiedTime']).be.a.String();
    });

    it('rejects a procfs file with more content than fits in one request, and sends nothing', async () => {
      const path = '/proc/self/pagemap';
      const error = await rejected(fixture.upload({ path }), 'local_file', 'local_file_unknown_size');
      should(error.params).deepEqual({ path, reason: 'unknown size' });
      fixture.service.server.requests.should.be.empty();
    });
  }

  for (const kind of ['on disk', 'in memory']) {
    it(`reads any range of content ${kind}`, async () => {
      const content = bytes(5_000_000);
      const source = await openSource(
        kind === 'on disk' ? { path: await fixture.onDisk(content) } : { data: content },
      );
      for (const [start, end] of [
        [0, 262_144],
        [262_144, 4_194_304],
        [1_048_577, 5_000_000],
        [4_999_999, undefined],
        [5_000_000, undefined],
      ] as const) {
        const chunks: Buffer[] = [];
        const next = source.readFrom(start, end);
        for (let chunk = await next(); chunk; chunk = await next()) chunks.push(Buffer.from(chunk));
        Buffer.concat(chunks).equals(content.subarray(start, end)).should.be.true();
      }
      await source.close();
    });
  }

  it('reports a failed read-ahead when the chunk is requested, and not as an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    const path = await fixture.onDisk(bytes(5_000_000));
    const source = await openSource({ path });
    const [used, abandoned] = [source.readFrom(0), source.readFrom(0)];
    await truncate(path, 1_048_576);
    for (const next of [used, abandoned]) (await next())!.length.should.equal(1_048_576);
    await rejected(used(), 'local_file', 'local_file_changed');
    // Waits for pending reads.
    await source.close();
    await new Promise(setImmediate);
    process.off('unhandledRejection', onUnhandled);
    unhandled.should.be.empty();
  });

  it('frees the memory of its only reader, and of none if another one may be reading', async () => {
    const path = await fixture.onDisk(bytes(1_000));
    for (const [readers, length] of [
      [1, 0],
      [2, 1_000],
    ] as const) {
      const source = await openSource({ path });
      const [next] = Array.from({ length: readers }, () => source.readFrom(0));
      const chunk = await next!();
      source.free();
      chunk!.length.should.equal(length);
      await source.close();
    }
  });

  it('never frees data from memory', async () => {
    const data = Buffer.allocUnsafeSlow(1_000);
    const source = await openSource({ data });
    await source.readFrom(0)();
    source.free();
    data.length.should.equal(1_000);
  });
});
