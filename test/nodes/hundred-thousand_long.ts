/** A real Node-RED searches and prunes a folder of 100,000 files correctly, with little memory and one request per page. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { NodeMessage } from 'node-red';
import should from 'should';
import type { DriveFile } from '../../src/index';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { ALL_CORE_NODES, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { closeAll } from '../support/close-all';

const FILES = 100_000;
const BATCH = 1_000;
const HOUR = 3_600_000;
const FIRST = Date.UTC(2015, 0, 1);
/** The first page has the default size, because a custom service gets a page size only after it has returned a page token. */
const PAGES = 1 + Math.ceil((FILES - 100) / 1_000);
const MIB = 1024 * 1024;
/** MiB that prune may use. Its message contains all 99,990 kept files with the default fields. */
const MAX_PRUNE_MEMORY = 96;
const POSITION = { z: 'tab', x: 0, y: 0 };

const nameOf = (index: number): string => `backup-${String(index).padStart(6, '0')}.tar`;

/** Counts inside Node-RED, because sending each message to the test would be measured too. */
const COUNTER = `
const seen = context.get('seen') || { count: 0, first: msg.payload.name };
seen.count += 1;
if (msg.parts.count === undefined) { context.set('seen', seen); return null; }
context.set('seen', undefined);
return { ...msg, payload: { ...seen, last: msg.payload.name, said: msg.parts.count } };`;

/** Reduces the result of prune, for the same reason. */
const NAMES = `
const { kept, removed, failed } = msg.payload;
return { ...msg, payload: { kept: kept.length, removed: removed.map(({ name }) => name), failed } };`;

describe('a folder of 100,000 files', function () {
  this.timeout(600_000);
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let folder: string;
  let nodes = 0;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    folder = await drive.files.addFolder('backups');
    for (let start = 0; start < FILES; start += BATCH) {
      const some = Array.from({ length: BATCH }, (_, index) => start + index);
      await Promise.all(
        some.map((index) =>
          drive.files.add({ name: nameOf(index), parent: folder, modifiedTime: FIRST + index * HOUR }),
        ),
      );
    }
    nodeRed = await startNodeRed({ settings: ALL_CORE_NODES });
  });
  after(() => closeAll(nodeRed, drive));

  interface Run {
    msg: NodeMessage;
    requests: number;
    /** MiB of the whole process: before, and the peak since. */
    idle: number;
    peak: number;
  }

  /** Runs a new node in a restarted Node-RED, so that earlier runs aren't measured. */
  async function run(description: string, node: Record<string, unknown>, payload: unknown): Promise<Run> {
    const id = `n${++nodes}`;
    const isPrune = node['type'] === 'cloud-drive-prune';
    const counted = node['output'] === 'each' || isPrune;
    await nodeRed.restart();
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url) },
        credentials: { ...CREDENTIALS },
      },
      { id, type: '', ...POSITION, account: 'account', wires: [[counted ? 'count' : `out${id}`]], ...node },
      { id: 'about', type: 'cloud-drive-about', ...POSITION, account: 'account', wires: [[`out${id}`]] },
      {
        id: 'count',
        type: 'function',
        ...POSITION,
        func: isPrune ? NAMES : COUNTER,
        outputs: 1,
        wires: [[`out${id}`]],
      },
      { id: `out${id}`, type: 'test-output', ...POSITION, wires: [] },
      { id: 'catch', type: 'catch', ...POSITION, scope: null, uncaught: false, wires: [[`out${id}`]] },
    ]);
    // Requests the token and loads what Node-RED requires at the first message.
    nodeRed.receive('about', { topic: `about ${id}` });
    await nodeRed.output(`out${id}`, ({ topic }) => topic === `about ${id}`);
    drive.requests.clear();
    writeFileSync(`/proc/${nodeRed.pid}/clear_refs`, '5');
    const idle = memory('VmRSS');
    nodeRed.receive(id, { payload, topic: description });
    const msg = await nodeRed.output(`out${id}`, ({ topic }) => topic === description);
    should(msg['error']).be.undefined();
    const requests = drive.requests.all.filter(({ path }) => path.endsWith('/files')).length;
    const peak = memory('VmHWM');
    const above = (peak - idle).toFixed(1);
    process.stdout.write(
      `      ${description}: ${requests} requests, ${above} MiB above ${idle.toFixed(1)}\n`,
    );
    return { msg, requests, idle, peak };
  }

  /** MiB. */
  function memory(name: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${nodeRed.pid}/status`, 'utf8');
    return (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / MIB;
  }

  const search = (more: object) => ({ type: 'cloud-drive-search-files', ...more });
  const all = (text: string) => ({ folderId: folder, text });

  const searches: [string, object, string, number, string, string][] = [
    ['all files', { match: 'glob' }, '*', FILES, nameOf(0), nameOf(FILES - 1)],
    ['files with 42 anywhere in their names', { match: 'anywhere' }, '42', count(/42/), '', ''],
    ['files that match a glob', { match: 'glob' }, '*-0?42??.tar', count(/-0.42..\.tar$/), '', ''],
    ['files that match a regular expression', { match: 'regex' }, '7{3}\\.tar$', count(/777\.tar$/), '', ''],
  ];
  for (const [description, more, text, hits, first, last] of searches) {
    it(`search-files sends one message each for ${description}`, async () => {
      const { msg, requests, idle, peak } = await run(
        description,
        search({ ...more, output: 'each' }),
        all(text),
      );
      should(msg.payload).containEql({ count: hits, said: hits });
      if (first) should(msg.payload).containEql({ first, last });
      requests.should.equal(PAGES);
      (peak - idle).should.be.belowOrEqual(64);
    });
  }

  it('search-files sends an array of the files with 042042 anywhere in their names', async () => {
    const { msg, requests } = await run('array', search({ match: 'anywhere' }), all('042042'));
    (msg.payload as DriveFile[]).map(({ name }) => name).should.eql([nameOf(42_042)]);
    requests.should.equal(PAGES);
  });

  it('prune removes all but the newest 99,990 files', async () => {
    const rules = { keepNewest: FILES - 10, pattern: '*.tar', dryRun: false };
    const prune = { type: 'cloud-drive-prune', ...rules };
    const { msg, requests, idle, peak } = await run('prune', prune, folder);
    const { kept, removed, failed } = msg.payload as { kept: number; removed: string[]; failed: DriveFile[] };
    should(kept).equal(FILES - 10);
    should(failed).eql([]);
    should(removed.sort()).eql(Array.from({ length: 10 }, (_, index) => nameOf(index)));
    requests.should.equal(PAGES);
    (peak - idle).should.be.belowOrEqual(MAX_PRUNE_MEMORY);
    drive.files
      .in(folder)
      .filter(({ trashed }) => trashed)
      .length.should.equal(10);
  });

  function count(pattern: RegExp): number {
    let hits = 0;
    for (let index = 0; index < FILES; index++) if (pattern.test(nameOf(index))) hits += 1;
    return hits;
  }
});
