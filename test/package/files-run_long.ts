/**
 * How many files of src and nodes run for a common task: those with at least one function that was called, besides the
 * code of the module itself. Worker threads aren't counted. `LIST=1 npm run files-run` lists them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import { CREDENTIALS } from '../support/node-red/account';
import { ROOT } from '../support/node-red/built-package';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, node, useNodeRed } from '../support/node-red/load';

/** @returns paths from the project's folder */
async function filesRun(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  let coverage: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => (coverage = result));
  session.disconnect();
  return coverage
    .filter(({ functions }) => functions.some(isOwnCall))
    .map(({ url }) => path.relative(ROOT, url.replace('file://', '')))
    .filter((file) => /^(?:src|nodes)\//.test(file))
    .sort();
}

/** Not `() => name`, by which the compiler exports everything. */
function isOwnCall({ functionName: name, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  const { count, startOffset, endOffset } = range!;
  return name !== '' && count > 0 && endOffset - startOffset !== `() => ${name}`.length;
}

interface Task {
  type: string;
  credentials?: object;
  [setting: string]: unknown;
}

describe('files that run for a task', () => {
  useNodeRed();
  const drive = useDrive();

  /** Loads a node, and sends it one message. @returns the files that run from the message to the end */
  async function run(settings: FlowNode, msg: NodeMessage, credentials: object): Promise<string[]> {
    const options = { url: drive().url, service: 'google' } as const;
    const all = { account: CREDENTIALS, n: credentials };
    const flow = await load([settings], { ...options, credentials: all });
    const files = await filesRun(async () => should((await flow.run('n', msg)).error).be.undefined());
    await helper.unload();
    return files;
  }

  async function runTask({ type, ...settings }: Task): Promise<string[]> {
    const folder = await mkdtemp(path.join(tmpdir(), 'files-run-'));
    const folderId = await drive().files.addFolder('Folder');
    for (const name of ['a', 'b']) await drive().files.add({ name, parent: folderId, content: name });
    const empty = await drive().files.addFolder('Empty');
    await writeFile(path.join(folder, 'file'), Buffer.alloc(10_000_000, 1));
    const { credentials = {}, ...more } = settings;
    const filename = path.join(folder, type === 'sync' ? 'synced' : 'file');
    const msg = { payload: type === 'sync' ? folderId : empty, folderId, filename };
    const files = await run(node(type, more), msg, credentials);
    await rm(folder, { recursive: true });
    return files;
  }

  const tasks: [title: string, most: number, task: Task][] = [
    ['an upload of 10 MB', 80, { type: 'upload', source: 'file' }],
    [
      'a first snapshot, in the main thread',
      95,
      {
        ...{ type: 'backup', format: 'snapshot', folder: 'payload', folderType: 'msg' },
        credentials: { passphrase: 'correct horse' },
      },
    ],
    ['a sync down of 2 files', 95, { type: 'sync', direction: 'down' }],
  ];
  for (const [title, most, task] of tasks)
    it(`${title} runs at most ${most} files`, async function () {
      // The first run loads the modules.
      await runTask(task);
      const files = await runTask(task);
      this.test!.title += `: ${files.length}`;
      if (process.env['LIST']) process.stdout.write(`${files.join('\n')}\n`);
      files.length.should.be.belowOrEqual(most);
    });
});
