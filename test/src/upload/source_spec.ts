import { execFileSync } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { bytes } from '../../support/content';
import { rejected } from '../../support/rejected';
import { uploadFixture } from '../../support/upload-fixture';

describe('source of an upload', () => {
  const at = uploadFixture();

  it('is told apart: missing, a folder, a FIFO, unreadable, below a file; nothing is sent', async () => {
    const fifo = join(at.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const file = await at.onDisk('x');
    const cases: [string, string][] = [
      [join(at.folder, 'nothing'), 'local_file_missing'],
      [at.folder, 'local_file_is_folder'],
      [fifo, 'local_file_not_regular'],
      ['/dev/null', 'local_file_not_regular'],
      [join(file, 'below'), 'local_file_not_folder'],
    ];
    for (const [path, text] of cases) {
      const error = await rejected(at.upload({ path }), 'local_file', text);
      should(error.params['path']).equal(path);
    }
    at.service.wire.seen.should.be.empty();
  });

  it('ends with an error when the file grows or shrinks while it is read, and nothing comes to be', async () => {
    for (const change of [
      (path: string) => appendFile(path, 'more'),
      (path: string) => writeFile(path, 'less'),
    ]) {
      const path = await at.onDisk(bytes(6_000_000));
      at.service.fault = async ({ query }) => {
        if (query.get('uploadType') === 'resumable') await change(path);
        return undefined;
      };
      await rejected(at.upload({ path }), 'local_file', 'local_file_changed');
      at.service.files.should.be.empty();
    }
  });
});
