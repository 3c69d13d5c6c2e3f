/** What docs/nodes/prune.md says. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { DriveFile } from '../../src/index';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const DAY = 86_400_000;
const prune = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-prune', ...more });

interface Pruned {
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
  const left = (): string =>
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
  const result = async (more: object, service: 'google' | 'custom' = 'google'): Promise<Pruned> => {
    const sent = passed(await run(more, service));
    should(sent).have.property('topic', 'mine');
    return sent.payload as Pruned;
  };

  it('removes nothing while it is only tried, and says what it would', async () => {
    const { kept, removed, failed: none } = await result({ keepNewest: 8 });
    names(kept).should.match(/^backup-0.tar .*backup-7.tar$/);
    names(removed).should.equal('backup-8.tar backup-9.tar');
    should(none).eql([]);
    left().should.equal(everything());
    drive().requests.to('PATCH').length.should.equal(0);
  });

  for (const [what, dryRun, status] of [
    ['a try', undefined, 'tried'],
    ['a try, though a text says false,', 'false', 'tried'],
    ['the real thing', false, 'done'],
  ] as const) {
    it(`tells that it was ${what}, in the message and in its status`, async () => {
      const more = { pattern: '*.tar', keepNewest: 8, ...(dryRun === undefined ? {} : { dryRun }) };
      const flow = await load([prune(more)], { url: drive().url });
      const sent = passed(await flow.run('n', { payload: folder, dryRun: 'from before' }));
      should(sent['dryRun']).equal(dryRun !== false);
      should(flow.statuses('n').at(-1)?.text).endWith(`status.${status}`);
    });
  }

  for (const service of ['google', 'custom'] as const) {
    it(`deletes for ever what no rule keeps, at a ${service} service`, async () => {
      const { removed } = await result({ keepNewest: 3, mode: 'permanent', dryRun: false }, service);
      removed.length.should.equal(7);
      left().should.equal('backup-0.tar backup-1.tar backup-2.tar readme.txt old folder.tar');
    });
  }

  it('moves to the trash, oldest first', async () => {
    await result({ daily: 9, dryRun: false });
    left().should.not.containEql('backup-9');
    const trashed = drive().requests.to('PATCH');
    trashed.length.should.equal(1);
    drive()
      .files.in(folder)
      .filter((file) => file.trashed)
      .map(({ name }) => name)
      .should.eql(['backup-9.tar']);
  });

  it('never goes below the minimum', async () => {
    const { kept } = await result({ keepDays: 0.000_001, minimum: 2, dryRun: false });
    names(kept).should.equal('backup-0.tar backup-1.tar');
  });

  it('tells what failed, and goes on', async () => {
    const stuck = drive().files.in(folder)[9]!.id;
    const path = new RegExp(`${stuck}$`);
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match: { path } });
    const ending = await run({ keepNewest: 8, dryRun: false });
    failed(ending, 'partial_failure');
    const { removed, failed: told, kept } = ending.msg.payload as Pruned;
    names(removed).should.equal('backup-8.tar');
    names(told).should.equal('backup-9.tar');
    should(told[0]?.error.code).equal('permission_denied');
    kept.length.should.equal(8);
  });

  it('counts what somebody else has removed meanwhile as removed', async () => {
    const gone = drive().files.in(folder)[9]!.id;
    drive().faults.add({ kind: 'error', reason: 'notFound', match: { path: new RegExp(`${gone}$`) } });
    const { removed } = await result({ keepNewest: 8, dryRun: false });
    names(removed).should.equal('backup-8.tar backup-9.tar');
    removed.map(({ missing }) => missing).should.eql([undefined, true]);
  });

  it('says in one only of two overlapping runs that a file was removed by it', async () => {
    const more = prune({ pattern: '*.tar', keepNewest: 3, mode: 'permanent', dryRun: false });
    const flow = await load([more, { ...more, id: 'm' }], { url: drive().url });
    const endings = await Promise.all(['n', 'm'].map((id) => flow.run(id, { payload: folder })));
    const results = endings.map((ending) => passed(ending).payload as Pruned);
    for (const { kept, removed, failed: told } of results) {
      names(kept).should.equal('backup-0.tar backup-1.tar backup-2.tar');
      should(told).eql([]);
      removed.length.should.belowOrEqual(7);
    }
    const own = results.flatMap(({ removed }) => removed.filter(({ missing }) => !missing));
    own
      .map(({ name }) => name)
      .sort()
      .should.eql([3, 4, 5, 6, 7, 8, 9].map((age) => `backup-${age}.tar`));
  });

  it('shows how far it is', async () => {
    const flow = await load([prune({ pattern: '*.tar', keepNewest: 3, dryRun: false })], {
      url: drive().url,
    });
    passed(await flow.run('n', { payload: folder }));
    should(flow.statuses('n')).containEql({ fill: 'blue', shape: 'dot', text: '0 / 7' });
  });

  it('removes nothing where the list may lack files', async () => {
    drive().faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ } });
    failed(await run({ keepNewest: 1, dryRun: false }), 'bad_response', 'may lack files');
    left().should.equal(everything());
  });

  it('removes nothing where a later page fails', async () => {
    drive().faults.add({ kind: 'shortPage', items: 1, match: { path: /\/files$/ } });
    const match = { path: /\/files$/, nth: 2 };
    drive().faults.add({ kind: 'error', reason: 'badRequest', match });
    failed(await run({ keepNewest: 1, dryRun: false }), 'bad_response');
    left().should.equal(everything());
  });

  const refused: [string, object, string][] = [
    ['no rule at all', {}, 'All rules are 0'],
    ['only a minimum', { minimum: 5 }, 'All rules are 0'],
    ['a rule that is no number', { daily: 'seven' }, 'daily is string'],
    ['a rule below 0', { weekly: -1 }, 'weekly is number -1'],
    ['a zone that nobody knows', { daily: 1, timeZone: 'Europe/Atlantis' }, 'Europe/Atlantis'],
    ['a pattern that is none', { daily: 1, match: 'regex', pattern: '(' }, 'The pattern can'],
    ['a date that is none', { daily: 1, dateFrom: 'size' }, 'dateFrom'],
    ['another way to remove', { daily: 1, mode: 'burn' }, 'mode'],
  ];
  for (const [what, more, words] of refused) {
    it(`refuses ${what}, and sends nothing`, async () => {
      drive().requests.clear();
      failed(await run({ dryRun: false, ...more }), 'invalid_input', words);
      drive().requests.all.length.should.equal(0);
    });
  }

  it('takes an empty text for the root only where it is typed', async () => {
    const flow = await load([prune({ keepNewest: 1 })], { url: drive().url });
    failed(await flow.run('n', { payload: '' }), 'invalid_input', 'root of the drive');
    await helper.unload();
    const typed = await load([prune({ keepNewest: 1, folder: '', folderType: 'str' })], { url: drive().url });
    passed(await typed.run('n', {}));
  });
});
