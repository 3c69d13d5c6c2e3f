/** A folder of 100,000 files, searched and pruned by a real Node-RED: right answers, little memory, a request a page. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { NodeMessage } from 'node-red';
import should from 'should';
import type { DriveFile } from '../../src/index';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';

const FILES = 100_000;
const TOGETHER = 1_000;
const HOUR = 3_600_000;
const FIRST = Date.UTC(2015, 0, 1);
/** The service's own page size comes first: a custom service is asked for more once it has shown that it knows pages. */
const PAGES = 1 + Math.ceil((FILES - 100) / 1_000);
const MIB = 1024 * 1024;
/** MiB that prune may take: its message names each of the 99,990 files that it keeps, with all fields of a list. */
const MOST_PRUNED = 96;
const PLACE = { z: 'tab', x: 0, y: 0 };

const nameOf = (index: number): string => `backup-${String(index).padStart(6, '0')}.tar`;

/** What is counted in Node-RED itself: a message an item to the test would measure the way there. */
const COUNTER = `
const seen = context.get('seen') || { count: 0, first: msg.payload.name };
seen.count += 1;
if (msg.parts.count === undefined) { context.set('seen', seen); return null; }
context.set('seen', undefined);
return { ...msg, payload: { ...seen, last: msg.payload.name, said: msg.parts.count } };`;

/** What prune gives is looked at there too, for the same reason. */
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
    for (let start = 0; start < FILES; start += TOGETHER) {
      const some = Array.from({ length: TOGETHER }, (_, index) => start + index);
      await Promise.all(
        some.map((index) =>
          drive.files.add({ name: nameOf(index), parent: folder, modifiedTime: FIRST + index * HOUR }),
        ),
      );
    }
    nodeRed = await startNodeRed();
  });
  after(async () => {
    await nodeRed?.close();
    await drive?.close();
  });

  interface Run {
    msg: NodeMessage;
    requests: number;
    /** MiB, of the whole process: before, and the most since. */
    idle: number;
    peak: number;
  }

  /** A node of its own in a Node-RED that has just been started, so that what was before is not measured. */
  async function run(what: string, node: Record<string, unknown>, payload: unknown): Promise<Run> {
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
      { id, type: '', ...PLACE, account: 'account', wires: [[counted ? 'count' : `out${id}`]], ...node },
      { id: 'about', type: 'cloud-drive-about', ...PLACE, account: 'account', wires: [[`out${id}`]] },
      {
        id: 'count',
        type: 'function',
        ...PLACE,
        func: isPrune ? NAMES : COUNTER,
        outputs: 1,
        wires: [[`out${id}`]],
      },
      { id: `out${id}`, type: 'test-output', ...PLACE, wires: [] },
      { id: 'catch', type: 'catch', ...PLACE, scope: null, uncaught: false, wires: [[`out${id}`]] },
    ]);
    // The token, and what Node-RED requires at the first message.
    nodeRed.receive('about', { topic: `about ${id}` });
    await nodeRed.output(`out${id}`, ({ topic }) => topic === `about ${id}`);
    drive.requests.clear();
    writeFileSync(`/proc/${nodeRed.pid}/clear_refs`, '5');
    const idle = memory('VmRSS');
    nodeRed.receive(id, { payload, topic: what });
    const msg = await nodeRed.output(`out${id}`, ({ topic }) => topic === what);
    should(msg['error']).be.undefined();
    const requests = drive.requests.all.filter(({ path }) => path.endsWith('/files')).length;
    const peak = memory('VmHWM');
    const above = (peak - idle).toFixed(1);
    process.stdout.write(`      ${what}: ${requests} requests, ${above} MiB above ${idle.toFixed(1)}\n`);
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
    ['each of all', { match: 'glob' }, '*', FILES, nameOf(0), nameOf(FILES - 1)],
    ['each that has 42 anywhere', { match: 'anywhere' }, '42', count(/42/), '', ''],
    ['each that a glob fits', { match: 'glob' }, '*-0?42??.tar', count(/-0.42..\.tar$/), '', ''],
    ['each that a regex fits', { match: 'regex' }, '7{3}\\.tar$', count(/777\.tar$/), '', ''],
  ];
  for (const [what, more, text, hits, first, last] of searches) {
    it(what, async () => {
      const { msg, requests, idle, peak } = await run(what, search({ ...more, output: 'each' }), all(text));
      should(msg.payload).containEql({ count: hits, said: hits });
      if (first) should(msg.payload).containEql({ first, last });
      requests.should.equal(PAGES);
      (peak - idle).should.be.belowOrEqual(64);
    });
  }

  it('an array of those that have 042042 anywhere', async () => {
    const { msg, requests } = await run('array', search({ match: 'anywhere' }), all('042042'));
    (msg.payload as DriveFile[]).map(({ name }) => name).should.eql([nameOf(42_042)]);
    requests.should.equal(PAGES);
  });

  it('prune of all but the newest 99,990', async () => {
    const rules = { keepNewest: FILES - 10, pattern: '*.tar', dryRun: false };
    const prune = { type: 'cloud-drive-prune', ...rules };
    const { msg, requests, idle, peak } = await run('prune', prune, folder);
    const { kept, removed, failed } = msg.payload as { kept: number; removed: string[]; failed: DriveFile[] };
    should(kept).equal(FILES - 10);
    should(failed).eql([]);
    should(removed.sort()).eql(Array.from({ length: 10 }, (_, index) => nameOf(index)));
    requests.should.equal(PAGES);
    (peak - idle).should.be.belowOrEqual(MOST_PRUNED);
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
