import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { BackupRequest } from '../../../src/index';
import { type DriveError, listBackupEntries } from '../../../src/index';
import { BackupFixture, NO_RULES } from '../../support/archive/backup-fixture';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';
import { bytes } from '../../support/content';

const UNMOVED = { folderId: '', fields: 'id', restore: false, ifExists: 'duplicate' } as const;

describe('backup', () => {
  const fixture = new BackupFixture();
  const backup = fixture.backup.bind(fixture);
  const add = fixture.add.bind(fixture);
  const names = (): string[] => fixture.drive.files.names(fixture.folderId).sort();

  it('a folder becomes an archive on the drive, and the result describes it', async () => {
    await mkdir(fixture.disk('home', 'photos'));
    await writeFile(fixture.disk('home', 'photos/large'), bytes(6_000_000));
    await mkdir(fixture.disk('home', 'node_modules/x'), { recursive: true });
    const progress: number[] = [];
    const { file, ...result } = await backup({
      ...{ targetName: '{name} {host} {date} {time} {number}', exclude: ['node_modules'] },
      onProgress: ({ sent }) => progress.push(sent),
    });
    file.name!.should.equal('home pi 2024-05-17 10-00-00 0001.tar.gz');
    Object.keys(file).sort().should.eql(['id', 'name', 'size']);
    result.should.eql({
      backup: {
        ...{ number: 1, date: '2024-05-17', complete: true, entries: 4, bytes: 6_000_005 },
        ...{ changed: [], skipped: [] },
      },
      otherSeries: 0,
      pruned: { kept: [], removed: [], failed: [] },
    });
    should(progress.at(-1)).equal(Number(file.size));
    const archive = await fixture.drive.files.contentOf(file.id);
    execFileSync('tar', ['-tz'], { input: archive })
      .toString()
      .split('\n')
      .filter(Boolean)
      .sort()
      .should.eql(['home/', 'home/notes.txt', 'home/photos/', 'home/photos/large']);
    should(fixture.drive.files.find(file.id)).have.property('mimeType', 'application/gzip');
  });

  it('a list of what a backup would contain has sizes, and paths for users', async function () {
    await writeFile(Buffer.from(fixture.disk('home', '\xe4'), 'latin1'), 'umlaut').catch(() =>
      this.skip('this disk takes no names of bytes'),
    );
    const listed: { path: string }[] = [];
    for await (const entry of listBackupEntries({ sources: [fixture.source], exclude: [] }))
      listed.push(entry);
    const sorted = listed.sort((a, b) => (a.path < b.path ? -1 : 1));
    should(sorted).deepEqual([
      { path: 'home', bytes: 0 },
      { path: 'home/notes.txt', bytes: 5 },
      { path: 'home/\ufffd', bytes: 6 },
    ]);
  });

  it('the number is one more than the highest of the template, whatever the gaps and other names', async () => {
    const others = [
      'home-0003.tar',
      'home-0041.tar.gz.age',
      'home-99.tar.gz',
      'work-0100.tar.gz',
      'home-0200.zip',
    ];
    for (const name of others) await add(name);
    const { backup: info } = await backup();
    should(info.number).equal(42);
    names().should.containEql('home-0042.tar.gz');
  });

  it('without a number in the template, the number of the result is null', async () => {
    const { file, backup: info } = await backup({ targetName: '{name}', compression: 'none' });
    should(info.number).equal(null);
    file.name!.should.equal('home.tar');
    should(fixture.drive.files.find(file.id)).have.property('mimeType', 'application/x-tar');
  });

  it('backups that run at once get different numbers, also from two clients', async () => {
    const other = createTestClient(fixture.drive.url);
    const runs = [fixture.client, fixture.client, other.client, other.client].map((client) =>
      backup({}, {}, client),
    );
    const numbers = (await Promise.all(runs)).map(({ backup: { number } }) => number);
    other.close();
    new Set(numbers).size.should.equal(4);
    const expected = numbers.map((number) => `home-${String(number).padStart(4, '0')}.tar.gz`).sort();
    [...names()].sort().should.eql(expected);
  });

  it('a number that another machine has used meanwhile is changed, also if the list stays incomplete for long', async () => {
    const until = async (): Promise<void> => {
      await add('home-0001.tar.gz', { createdTime: '2024-05-16T00:00:00.000Z' });
      fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /files$/ }, times: 7 });
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'POST', path: /files$/ } });
    should((await backup()).backup.number).equal(2);
    [...names()].sort().should.eql(['home-0001.tar.gz', 'home-0002.tar.gz']);
  });

  it('an archive whose number can’t be changed is a partial failure, not a failed backup', async () => {
    const until = (): Promise<unknown> =>
      add('home-0001.tar.gz', { createdTime: '2024-05-16T00:00:00.000Z' });
    fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'POST', path: /files$/ } });
    fixture.drive.faults.add({ kind: 'response', status: 405, match: { method: 'PATCH' } });
    const {
      file,
      backup: info,
      pruned,
      laterError,
    } = await backup({ retention: { ...NO_RULES, keepNewest: 1 } });
    should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_same_number' });
    info.should.have.properties({ number: 1, complete: false });
    file.name!.should.equal('home-0001.tar.gz');
    pruned.removed.should.be.empty();
  });

  it('a number is free again after a backup that failed', async () => {
    fixture.drive.faults.add({ kind: 'error', reason: 'storageQuotaExceeded', match: { path: /upload/ } });
    await rejected(backup(), 'quota_exceeded');
    should((await backup()).backup.number).equal(1);
  });

  it('retention removes only archives of this template and source, and only those that the rules don’t keep', async () => {
    const day = (date: number): string => `2024-05-0${date}T00:00:00.000Z`;
    for (const number of [1, 2, 3]) await add(`home-000${number}.tar.gz`, { modifiedTime: day(number) });
    await add('work-0001.tar.gz', { modifiedTime: day(1) });
    const { pruned, laterError } = await backup({ retention: { ...NO_RULES, keepNewest: 2 } });
    should(laterError).be.undefined();
    pruned.removed.map(({ name }) => name).should.eql(['home-0002.tar.gz', 'home-0001.tar.gz']);
    pruned.kept.map(({ name }) => name).should.eql(['home-0004.tar.gz', 'home-0003.tar.gz']);
    const trashed = fixture.drive.files.in(fixture.folderId).filter(({ trashed }) => trashed);
    trashed.length.should.equal(2);
  });

  it('the dates of archives are those in their names, if the template has a date', async () => {
    await add('home-2020-01-01.tar.gz', { createdTime: '2020-01-01T02:00:00.000Z' });
    const result = await backup({
      targetName: '{name}-{date}',
      retention: { ...NO_RULES, keepDays: 30 },
      mode: 'permanent',
    });
    result.pruned.removed.map(({ name }) => name).should.eql(['home-2020-01-01.tar.gz']);
    names().should.eql(['home-2024-05-17.tar.gz']);
  });

  for (const [title, more, rules] of [
    ['keepNewest', {}, { keepNewest: 1 }],
    ['daily, deleting permanently', { mode: 'permanent' }, { daily: 3, minimum: 0 }],
    ['weekly', {}, { weekly: 1, minimum: 0 }],
    ['monthly', {}, { monthly: 2, minimum: 0 }],
  ] as const) {
    it(`of several archives with the same name, ${title} keeps only the new one`, async () => {
      // The ids are random: with several archives, an order by id would hardly ever be right.
      for (const hour of [3, 1, 2, 4, 6, 5, 8, 7]) {
        await add('home-2024-05-17.tar.gz', { createdTime: `2024-05-17T0${hour}:00:00.000Z` });
      }
      const { file, pruned } = await backup({
        ...{ targetName: '{name}-{date}', retention: { ...NO_RULES, ...rules } },
        ...more,
      });
      pruned.kept.map(({ id }) => id).should.eql([file.id]);
      const hours = pruned.removed.map(({ createdTime = '' }) => Number(createdTime.slice(11, 13)));
      hours.should.eql([8, 7, 6, 5, 4, 3, 2, 1]);
    });
  }

  it('the new archive counts for keepNewest, even if others have a higher number, a later date or creation time', async () => {
    await add('home-2024-05-18.tar.gz');
    await add('home-2024-05-17.tar.gz', { createdTime: '2024-05-17T11:00:00.000Z' });
    const retention = { ...NO_RULES, keepNewest: 2 };
    const { file, pruned } = await backup({ targetName: '{name}-{date}', retention });
    const kept = pruned.kept.map(({ id, name }) => [id === file.id, name]);
    kept.should.eql([
      [true, 'home-2024-05-17.tar.gz'],
      [false, 'home-2024-05-17.tar.gz'],
    ]);
  });

  it('archives of one day are kept by number, as a restore orders them', async () => {
    await add('home-2024-05-17-10000.tar.gz', { createdTime: '2024-05-17T01:00:00.000Z' });
    await add('home-2024-05-17-9999.tar.gz', { createdTime: '2024-05-17T02:00:00.000Z' });
    const retention = { ...NO_RULES, keepNewest: 2 };
    const { pruned } = await backup({ targetName: '{name}-{date}-{number}', retention });
    const kept = pruned.kept.map(({ name }) => name);
    kept.should.eql(['home-2024-05-17-10001.tar.gz', 'home-2024-05-17-10000.tar.gz']);
  });

  it('keepDays keeps archives with only a day in their names for at least that time', async () => {
    for (const day of [16, 15])
      await add(`home-2024-05-${day}.tar.gz`, { createdTime: `2024-05-${day}T02:00:00.000Z` });
    const { pruned } = await backup({
      ...{ targetName: '{name}-{date}', retention: { ...NO_RULES, keepDays: 0.45 } },
    });
    pruned.kept.map(({ name }) => name).should.eql(['home-2024-05-17.tar.gz', 'home-2024-05-16.tar.gz']);
    pruned.removed.map(({ name }) => name).should.eql(['home-2024-05-15.tar.gz']);
  });

  it('the new archive counts for keepNewest, even if a list that is behind lacks it', async () => {
    for (const day of [16, 15]) await add(`home-2024-05-${day}.tar.gz`);
    const files = fixture.drive.files.in(fixture.folderId).map(({ id, name }) => {
      return { ...{ id, name, mimeType: 'application/gzip', parents: [fixture.folderId] } };
    });
    const match = { method: 'GET', path: /\/files$/ };
    fixture.drive.faults.add({ kind: 'response', body: JSON.stringify({ files }), match });
    const retention = { ...NO_RULES, keepNewest: 2 };
    const { file, pruned } = await backup({ targetName: '{name}-{date}', retention });
    pruned.kept.map(({ id }) => id).should.eql([file.id, files[0]?.id]);
    pruned.removed.map(({ id }) => id).should.eql([files[1]?.id]);
  });

  for (const [title, change] of [
    ['removed', (id: string) => fixture.client.delete(id)],
    ['trashed', (id: string) => fixture.client.trash(id)],
    ['renamed', (id: string) => fixture.client.move({ id, name: 'mine.tar.gz', ...UNMOVED })],
  ] as const) {
    it(`a new archive that is ${title} before the others are listed doesn’t replace them`, async () => {
      for (const number of [1, 2]) await add(`home-000${number}.tar.gz`);
      const until = (): Promise<unknown> => {
        const created = fixture.drive.files
          .in(fixture.folderId)
          .find(({ name }) => name === 'home-0003.tar.gz');
        return change(created?.id ?? '');
      };
      // The first list is for the number, and the second one for its duplicates.
      fixture.drive.faults.add({ kind: 'delay', until, match: { method: 'GET', path: /files$/, nth: 3 } });
      const { pruned, laterError } = await backup({ retention: { ...NO_RULES, keepNewest: 1 } });
      should(laterError).be.undefined();
      pruned.kept.map(({ name }) => name).should.eql(['home-0002.tar.gz']);
      pruned.removed.map(({ name }) => name).should.eql(['home-0001.tar.gz']);
    });
  }

  for (const targetName of ['{name}', '{name}-{date}']) {
    it(`an archive ${targetName} whose content is replaced after it was listed is kept`, async () => {
      const name = targetName === '{name}' ? 'home.tar.gz' : 'home-2024-05-16.tar.gz';
      const times = { createdTime: '2024-05-16T00:00:00.000Z', modifiedTime: '2024-05-16T00:00:00.000Z' };
      const id = await add(name, times);
      const newer = { content: { data: 'newer' }, mimeType: '', keepModifiedTime: false, metadata: {} };
      const until = (): Promise<unknown> =>
        fixture.client.upload({
          name,
          folderId: fixture.folderId,
          fields: 'id',
          ifExists: 'duplicate',
          replaces: id,
          ...newer,
        });
      const match = { method: 'GET', path: new RegExp(`files/${id}$`) };
      fixture.drive.faults.add({ kind: 'delay', until, match });
      const retention = { ...NO_RULES, keepNewest: 1 };
      const { file, pruned } = await backup({ targetName, retention, mode: 'permanent' });
      pruned.removed.should.be.empty();
      pruned.kept
        .map((each) => each.id)
        .sort()
        .should.eql([file.id, id].sort());
      (await fixture.drive.files.contentOf(id)).toString().should.equal('newer');
    });
  }

  it('with all rules 0, nothing is removed and the folder isn’t listed again', async () => {
    await add('home-0001.tar.gz');
    const { pruned } = await backup({ retention: NO_RULES });
    pruned.should.eql({ kept: [], removed: [], failed: [] });
    names().length.should.equal(2);
  });

  it('archives that can’t be removed are a partial failure with the archive in the result', async () => {
    await add('home-0001.tar.gz');
    fixture.drive.faults.add({
      ...{ kind: 'error', reason: 'insufficientFilePermissions' },
      match: { method: 'PATCH' },
    });
    const { file, pruned, laterError } = await backup({ retention: { ...NO_RULES, keepNewest: 1 } });
    should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_prune' });
    pruned.failed
      .map((failed) => [failed.file.name, (failed.error as DriveError).code])
      .should.eql([['home-0001.tar.gz', 'permission_denied']]);
    file.name!.should.equal('home-0002.tar.gz');
  });

  it('a backup that is cancelled during retention has the archive and what was removed in its result', async () => {
    for (const number of [1, 2]) await add(`home-000${number}.tar.gz`);
    const retention = { ...NO_RULES, keepNewest: 1 };
    const abort = new AbortController();
    // The request for the second archive waits to be retried.
    const match = { method: 'PATCH', nth: 2 };
    fixture.drive.faults.add({ kind: 'error', reason: 'backendError', match });
    const call = { signal: abort.signal, onWait: () => abort.abort() };
    const { file, pruned, laterError } = await backup({ retention }, call);
    should(laterError).have.property('code', 'cancelled');
    file.name!.should.equal('home-0003.tar.gz');
    pruned.removed.should.have.length(1);
    pruned.kept.should.have.length(2);
  });

  it('a source that is a file that can’t be read is an error before any request', async () => {
    const file = fixture.disk('home', 'notes.txt');
    await chmod(file, 0);
    await chmod(fixture.disk(), 0o755);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      await rejected(backup({ sources: [file] }), 'local_file');
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    fixture.drive.requests.all.should.be.empty();
  });

  it('if earlier archives can’t be listed, none is removed and the result has the archive', async () => {
    await add('home.tar.gz');
    const match = { method: 'GET', path: /files$/ };
    fixture.drive.faults.add({ kind: 'incompleteSearch', match, times: 10 });
    const result = await backup({ targetName: '{name}', retention: { ...NO_RULES, keepNewest: 1 } });
    should(result.laterError).have.property('text', 'partial_failure_prune_list');
    names().length.should.equal(2);
  });

  it('if lists of earlier archives are incomplete, they are repeated before anything is removed', async () => {
    await add('home.tar.gz');
    fixture.drive.faults.add({
      kind: 'incompleteSearch',
      match: { method: 'GET', path: /files$/ },
      times: 2,
    });
    const result = await backup({ targetName: '{name}', retention: { ...NO_RULES, keepNewest: 1 } });
    should(result.laterError).be.undefined();
    result.pruned.removed.length.should.equal(1);
  });

  const invalid: [
    title: string,
    request: () => Partial<BackupRequest>,
    code: 'invalid_input' | 'local_file',
  ][] = [
    ['a missing source', () => ({ sources: [fixture.disk('missing')] }), 'local_file'],
    ['no source', () => ({ sources: [] }), 'invalid_input'],
    ['an empty source', () => ({ exclude: ['*'] }), 'invalid_input'],
    [
      'two sources of the same name',
      () => ({ sources: [fixture.source, `${fixture.source}/../home`] }),
      'invalid_input',
    ],
    ['an unknown placeholder', () => ({ targetName: '{user}' }), 'invalid_input'],
    ['a name with a slash', () => ({ targetName: 'a/b' }), 'invalid_input'],
    ['an empty passphrase', () => ({ encryption: { passphrase: '' } }), 'invalid_input'],
    ['a malformed key', () => ({ encryption: { recipients: ['age1x'] } }), 'invalid_input'],
  ];
  for (const [title, more, code] of invalid) {
    it(`with ${title}, no request is sent and nothing is removed`, async () => {
      await rejected(backup({ retention: { ...NO_RULES, keepNewest: 1 }, ...more() }), code);
      fixture.drive.requests.all.should.be.empty();
    });
  }

  it('a cancelled backup leaves no archive and removes none', async () => {
    await writeFile(fixture.disk('home', 'large'), bytes(20_000_000));
    await add('home-0001.tar.gz');
    const aborter = new AbortController();
    const onProgress = ({ sent }: { sent: number }): void => {
      if (sent > 8_000_000) aborter.abort();
    };
    const run = backup({ onProgress, retention: { ...NO_RULES, keepNewest: 1 } }, { signal: aborter.signal });
    await rejected(run, 'cancelled');
    names().should.eql(['home-0001.tar.gz']);
    should((await backup()).backup.number).equal(2);
  });

  it('a custom service gets its archive in one request, from a temporary file', async () => {
    await writeFile(fixture.disk('home', 'large'), bytes(9_000_000));
    const refuse = { kind: 'error', reason: 'badRequest', status: 501 } as const;
    fixture.drive.faults.add({ ...refuse, match: { query: /uploadType=resumable/ }, times: Infinity });
    const custom = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES.custom } });
    const { file } = await backup({}, {}, custom.client);
    custom.close();
    execFileSync('tar', ['-tz'], { input: await fixture.drive.files.contentOf(file.id) });
    file.name!.should.equal('home-0001.tar.gz');
  });
});
