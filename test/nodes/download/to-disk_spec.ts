/** Downloads to a file: docs/nodes/download.md. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { useDisk } from '../../support/disk';
import { fileRequests, nodeRunner, useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const download = (more: object = {}): FlowNode => ({
  id: 'n',
  type: 'cloud-drive-download',
  output: 'file',
  ...more,
});

describe('cloud-drive-download to a file', () => {
  useNodeRed();
  const drive = useDrive();
  const run: ReturnType<typeof nodeRunner> = (settings, ...others) =>
    nodeRunner('download', drive)({ output: 'file', ...settings }, ...others);
  const disk = useDisk();
  let id: string;

  before(async () => {
    id = await drive().files.add({ name: 'remote.txt', content: 'content' });
  });
  afterEach(() => helper.settings({}));

  it('download writes the file and sends its path and its metadata', async () => {
    const filename = disk('some', 'where', 'local.txt');
    const sent = passed(await run({}, { payload: id, filename, topic: 't' }));
    should(sent).match({ payload: filename, filename, topic: 't', file: { id, name: 'remote.txt' } });
    (await readFile(filename, 'utf8')).should.equal('content');
    // Without a part file.
    (await readdir(disk('some', 'where'))).should.eql(['local.txt']);
  });

  it('download uses the path from the dialog', async () => {
    const filename = disk('typed.txt');
    should(passed(await run({ filename, filenameType: 'str' }, { payload: id })).payload).equal(filename);
  });

  for (const [what, folder] of [
    ['ends in a slash', 'new/'],
    ['exists', 'there'],
  ] as const) {
    it(`download keeps the file's own name in a folder that ${what}`, async () => {
      await mkdir(disk('there'));
      const filename = `${disk()}/${folder}`;
      const sent = passed(await run({}, { payload: id, filename }));
      should(sent.payload).equal(disk(folder, 'remote.txt'));
      should(sent['filename']).equal(sent.payload);
    });
  }

  it('download changes a file name that would be outside of the folder', async () => {
    const flow = await load([download()], { url: drive().url });
    for (const name of ['../../evil', '..', '/etc/passwd', 'a\nb', 'a\\..\\b', 'con']) {
      const file = await drive().files.add({ name, content: 'x' });
      const { payload } = passed(await flow.run('n', { payload: file, filename: `${disk('in')}/` }));
      path.dirname(payload as string).should.equal(disk('in'));
    }
    (await readdir(disk())).should.eql(['in']);
  });

  it('download resolves a relative path as the core file nodes do', async () => {
    helper.settings({ fileWorkingDirectory: disk() });
    const flow = await load([download()], { url: drive().url });
    const { payload } = passed(await flow.run('n', { payload: id, filename: 'sub/relative.txt' }));
    should(payload).equal(disk('sub', 'relative.txt'));
    should(passed(await flow.run('n', { payload: id, filename: 'folder/' })).payload).equal(
      disk('folder', 'remote.txt'),
    );
  });

  describe('if the file exists', () => {
    beforeEach(async () => {
      await writeFile(disk('a.txt'), 'old');
      await writeFile(disk('a (1).txt'), 'older');
    });

    const runAgain = (more: object) => run(more, { payload: id, filename: disk('a.txt') });

    for (const more of [{}, { overwrite: 'replace' }]) {
      it(`download replaces the file with ${JSON.stringify(more)}`, async () => {
        should(passed(await runAgain(more)).payload).equal(disk('a.txt'));
        (await readFile(disk('a.txt'), 'utf8')).should.equal('content');
      });
    }

    it('download adds the first free number to the name', async () => {
      const sent = passed(await runAgain({ overwrite: 'rename' }));
      should(sent).match({ payload: disk('a (2).txt'), filename: disk('a (2).txt') });
      (await readFile(disk('a.txt'), 'utf8')).should.equal('old');
      (await readFile(disk('a (2).txt'), 'utf8')).should.equal('content');
    });

    it('download keeps the file and fails with conflict', async () => {
      failed(await runAgain({ overwrite: 'error' }), 'conflict', disk('a.txt'));
      (await readFile(disk('a.txt'), 'utf8')).should.equal('old');
      (await readdir(disk())).should.have.length(2);
      fileRequests(drive()).should.matchEach((each: string) => !each.includes('alt=media'));
    });

    it('download keeps the file if the download fails', async () => {
      drive().faults.add({ kind: 'corrupt', at: 1, match: { query: 'alt=media' }, times: Infinity });
      failed(await runAgain({}), 'checksum_mismatch');
      (await readFile(disk('a.txt'), 'utf8')).should.equal('old');
      (await readdir(disk())).should.have.length(2);
    });
  });

  it('download ignores the size limit of downloads to memory', async () => {
    const file = await drive().files.add({ name: 'big', content: Buffer.alloc(2 * 1024 * 1024) });
    passed(await run({ maxSize: 1 }, { payload: file, filename: disk('big') }));
  });
});
