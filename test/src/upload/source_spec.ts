/** A file on disk that changes while it is read is no file to upload: docs/errors.md, `local_file`. */
import { execFileSync } from 'node:child_process';
import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { openSource } from '../../../src/upload/source';
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';

import { uploadFixture } from '../../support/client/upload-fixture';

describe('source of an upload', () => {
  const fixture = uploadFixture();

  it('is told apart: missing, a folder, a FIFO, unreadable, below a file; nothing is sent', async () => {
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
    fixture.service.server.seen.should.be.empty();
  });

  it('ends with an error when the file grows or shrinks while it is read, and nothing comes to be', async () => {
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
      fixture.service.server.seen.should.be.empty();
    });
  }

  for (const kind of ['on disk', 'in memory']) {
    it(`gives from a byte to another what is ${kind}`, async () => {
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
        const given: Buffer[] = [];
        const next = source.readFrom(start, end);
        for (let piece = await next(); piece; piece = await next()) given.push(Buffer.from(piece));
        Buffer.concat(given).equals(content.subarray(start, end)).should.be.true();
      }
      await source.close();
    });
  }

  it('tells of what it can not read ahead to who asks for it, and to nobody else', async () => {
    const unheard: unknown[] = [];
    const onUnheard = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', onUnheard);
    const path = await fixture.onDisk(bytes(5_000_000));
    const source = await openSource({ path });
    const [asking, givenUp] = [source.readFrom(0), source.readFrom(0)];
    await truncate(path, 1_048_576);
    for (const next of [asking, givenUp]) (await next())!.length.should.equal(1_048_576);
    await rejected(asking(), 'local_file', 'local_file_changed');
    // Waits for what is being read.
    await source.close();
    await new Promise(setImmediate);
    process.off('unhandledRejection', onUnheard);
    unheard.should.be.empty();
  });
});
