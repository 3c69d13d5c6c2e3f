/** The prune node as docs/nodes/prune.md describes it. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { DriveFile } from '../../src/index';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const DAY = 86_400_000;
const prune = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-prune', ...more });

interface PruneResult {
  kept: DriveFile[];
  removed: (DriveFile & { missing?: true })[];
  failed: (DriveFile & { error: { code: string; message: string } })[];
}

describe('prune node', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;

  beforeEach(async () => {
    drive().faults.clear();
    folder = await drive().files.addFolder('backups');
    for (let age = 0; age < 10; age++) {
      const modifiedTime = Date.now() - age * DAY - 60_000;
      await drive().files.add({ name: `backup-${age}.tar`, parent: folder, content: 'x', modifiedTime });
    }
    await drive().files.add({ name: 'readme.txt', parent: folder, content: 'x', modifiedTime: 0 });
    await drive().files.addFolder('old folder.tar', folder);
  });

  const names = (files: DriveFile[]): string => files.map(({ name }) => name).join(' ');
  const remaining = (): string =>
    drive()
      .files.in(folder)
      .filter((file) => !file.trashed)
      .map(({ name }) => name)
      .join(' ');
  const everything = (): string =>
    `${Array.from({ length: 10 }, (_, age) => `backup-${age}.tar`).join(' ')} readme.txt old folder.tar`;
  const run = async (more: object, service: 'google' | 'custom' = 'google') => {
    const flow = await load([prune({ pattern: '*.tar', ...more })], { url: drive().url, service });
    const ending = await flow.run('n', { payload: folder, topic: 'mine' });
    await helper.unload();
    return ending;
  };
  const result = async (more: object, service: 'google' | 'custom' = 'google'): Promise<PruneResult> => {
    const sent = passed(await run(more, service));
    should(sent).have.property('topic', 'mine');
    return sent.payload as PruneResult;
  };

  it('prune removes nothing in a dry run and lists what it would remove', async () => {
    const { kept, removed, failed: none } = await result({ keepNewest: 8 });
    names(kept).should.match(/^backup-0.tar .*backup-7.tar$/);
    names(removed).should.equal('backup-8.tar backup-9.tar');
    should(none).eql([]);
    remaining().should.equal(everything());
    drive().requests.to('PATCH').length.should.equal(0);
  });

  it('prune neither counts nor removes incomplete archives of the backup node', async () => {
    const more = { parent: folder, content: 'x', createdTime: Date.now() };
    const id = await drive().files.add({ name: 'backup-10.incomplete.tar', ...more });
    const { kept, removed } = await result({ keepNewest: 8, dryRun: false });
    names(kept).should.match(/^backup-0.tar .*backup-7.tar$/);
    names(removed).should.equal('backup-8.tar backup-9.tar');
    should(drive().files.find(id)?.trashed).equal(false);
  });

  for (const [description, dryRun, shape, text] of [
    ['a dry run by default', undefined, 'ring', '2 to remove (dry run)'],
    ['a dry run if dryRun is the text false', 'false', 'ring', '2 to remove (dry run)'],
    ['no dry run if dryRun is false', false, 'dot', '2 removed'],
  ] as const) {
    it(`prune reports ${description} in the message and in its status`, async () => {
      const more = { pattern: '*.tar', keepNewest: 8, dryRun };
      const flow = await load([prune(more)], { url: drive().url });
      const sent = passed(await flow.run('n', { payload: folder, dryRun: 'from before' }));
      should(sent['dryRun']).equal(dryRun !== false);
      should(flow.statuses('n').at(-1)).eql({ fill: 'green', shape, text });
    });
  }

  for (const service of ['google', 'custom'] as const) {
    it(`prune permanently deletes what no rule keeps, at a ${service} service`, async () => {
      const { removed } = await result({ keepNewest: 3, mode: 'permanent', dryRun: false }, service);
      removed.length.should.equal(7);
      remaining().should.equal('backup-0.tar backup-1.tar backup-2.tar readme.txt old folder.tar');
    });
  }

  it('prune moves files to the trash', async () => {
    await result({ daily: 9, dryRun: false });
    remaining().should.not.containEql('backup-9');
    const trashed = drive().requests.to('PATCH');
    trashed.length.should.equal(1);
    drive()
      .files.in(folder)
      .filter((file) => file.trashed)
      .map(({ name }) => name)
      .should.eql(['backup-9.tar']);
  });

  it('prune never keeps fewer files than the minimum', async () => {
    const { kept } = await result({ keepDays: 0.000_001, minimum: 2, dryRun: false });
    names(kept).should.equal('backup-0.tar backup-1.tar');
  });

  it('prune lists failed files and removes the others', async () => {
    const failingId = drive().files.in(folder)[9]!.id;
    const path = new RegExp(`${failingId}$`);
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match: { path } });
    const ending = await run({ keepNewest: 8, dryRun: false });
    failed(ending, 'partial_failure');
    const { removed, failed: failures, kept } = ending.msg.payload as PruneResult;
    names(removed).should.equal('backup-8.tar');
    names(failures).should.equal('backup-9.tar');
    should(failures[0]?.error.code).equal('permission_denied');
    kept.length.should.equal(8);
  });

  it('prune lists a file that someone else has removed as removed and missing', async () => {
    const missingId = drive().files.in(folder)[9]!.id;
    drive().faults.add({ kind: 'error', reason: 'notFound', match: { path: new RegExp(`${missingId}$`) } });
    const { removed } = await result({ keepNewest: 8, dryRun: false });
    names(removed).should.equal('backup-8.tar backup-9.tar');
    removed.map(({ missing }) => missing).should.eql([undefined, true]);
  });

  it('only one of two concurrent prunes lists a file as removed by itself', async () => {
    const more = prune({ pattern: '*.tar', keepNewest: 3, mode: 'permanent', dryRun: false });
    const flow = await load([more, { ...more, id: 'm' }], { url: drive().url });
    const endings = await Promise.all(['n', 'm'].map((id) => flow.run(id, { payload: folder })));
    const results = endings.map((ending) => passed(ending).payload as PruneResult);
    for (const { kept, removed, failed: failures } of results) {
      names(kept).should.equal('backup-0.tar backup-1.tar backup-2.tar');
      should(failures).eql([]);
      removed.length.should.belowOrEqual(7);
    }
    const own = results.flatMap(({ removed }) => removed.filter(({ missing }) => !missing));
    own
      .map(({ name }) => name)
      .sort()
      .should.eql([3, 4, 5, 6, 7, 8, 9].map((age) => `backup-${age}.tar`));
  });

  it('prune shows its progress', async () => {
    const flow = await load([prune({ pattern: '*.tar', keepNewest: 3, dryRun: false })], {
      url: drive().url,
    });
    passed(await flow.run('n', { payload: folder }));
    should(flow.statuses('n')).containEql({ fill: 'blue', shape: 'dot', text: '0 / 7' });
  });

  it('prune repeats a list that is incomplete, and does not remove by the first one', async () => {
    drive().faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ } });
    passed(await run({ keepNewest: 1, dryRun: false }));
    const lists = drive().requests.to('GET', /\/files$/);
    lists.length.should.equal(2);
  });

  it('prune removes nothing if the list stays incomplete', async () => {
    drive().faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 3 });
    failed(
      await run({ keepNewest: 1, dryRun: false }),
      'bad_response',
      'list of files may be incomplete',
      'nothing was removed',
    );
    remaining().should.equal(everything());
  });

  it('prune removes nothing if a later page fails', async () => {
    drive().faults.add({ kind: 'shortPage', items: 1, match: { path: /\/files$/ } });
    const match = { path: /\/files$/, nth: 2 };
    drive().faults.add({ kind: 'error', reason: 'badRequest', match });
    failed(await run({ keepNewest: 1, dryRun: false }), 'bad_response');
    remaining().should.equal(everything());
  });

  const rejected: [string, object, string][] = [
    ['settings without a rule', {}, 'All rules are 0'],
    ['settings with only a minimum', { minimum: 5 }, 'All rules are 0'],
    [
      'a rule that is not a number',
      { daily: 'seven' },
      "daily must be a whole number of at least 0, but got 'seven'",
    ],
    ['a negative rule', { weekly: -1 }, 'weekly must be a whole number of at least 0, but got number -1'],
    ['an unknown time zone', { daily: 1, timeZone: 'Europe/Atlantis' }, 'Europe/Atlantis'],
    [
      'an invalid pattern',
      { daily: 1, match: 'regex', pattern: '(' },
      "The regular expression ( in pattern isn't valid: ",
    ],
    ['an unknown dateFrom', { daily: 1, dateFrom: 'size' }, 'dateFrom'],
    ['an unknown mode', { daily: 1, mode: 'burn' }, 'mode'],
  ];
  for (const [description, more, words] of rejected) {
    it(`prune rejects ${description} without any request`, async () => {
      drive().requests.clear();
      failed(await run({ dryRun: false, ...more }), 'invalid_input', words);
      drive().requests.all.length.should.equal(0);
    });
  }

  it('prune takes an empty text as the root only if it is typed in the dialog', async () => {
    const flow = await load([prune({ keepNewest: 1 })], { url: drive().url });
    failed(await flow.run('n', { payload: '' }), 'invalid_input', 'root of the drive');
    await helper.unload();
    const typed = await load([prune({ keepNewest: 1, folder: '', folderType: 'str' })], { url: drive().url });
    passed(await typed.run('n', {}));
  });
});
