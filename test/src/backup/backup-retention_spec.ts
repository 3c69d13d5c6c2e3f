/** Which old archives a backup removes while others run, and when clocks are wrong. */
import { mkdir, writeFile } from 'node:fs/promises';
import should from 'should';
import type { BackupRequest, BackupResult, DriveClient } from '../../../src/index';
import { LocalTime } from '../../../src/errors';
import type { RecordedRequest } from '../../local-drive';
import { BackupFixture, NO_RULES } from '../../support/archive/backup-fixture';
import { createTestClient } from '../../support/client/test-client';

const KEEP_ONE = { ...NO_RULES, keepNewest: 1 };

describe('retention of backups', () => {
  const fixture = new BackupFixture();

  const backup = (more: Partial<BackupRequest> = {}, client = fixture.client): Promise<BackupResult> =>
    fixture.backup({ compression: 'none', fields: 'id,name', retention: KEEP_ONE, ...more }, {}, client);
  const add = (name: string, more: Record<string, unknown> = {}): Promise<string> =>
    fixture.add(name, { mimeType: 'application/x-tar', ...more });
  const left = (): string[] =>
    fixture.drive.files
      .in(fixture.folderId)
      .filter(({ trashed }) => !trashed)
      .map(({ id }) => id)
      .sort();

  describe('by several backups at once', () => {
    /** A client as in another Node-RED: another spelling of the URL, so that neither waits for the other. */
    const otherClient = (): ReturnType<typeof createTestClient> =>
      createTestClient(fixture.drive.url.replace('127.0.0.1', '127.1'));

    /** All upload before any lists the archives for its retention. */
    function holdUntilAllUploaded(count: number): void {
      const isUpload = ({ path }: RecordedRequest): boolean => path.includes('/upload/');
      const uploads = (): number => fixture.drive.requests.all.filter(isUpload).length;
      const allStarted = (): Promise<void> => fixture.drive.traffic.until(() => uploads() >= count);
      let isStored = false;
      const allStored = (): Promise<void> =>
        fixture.drive.traffic.until(() => (isStored ||= left().length > count));
      const isLaterList = ({ method, path }: RecordedRequest): boolean =>
        method === 'GET' && path.endsWith('/files') && uploads() > 0;
      const { faults } = fixture.drive;
      faults.add({ kind: 'delay', until: allStarted, match: { when: isUpload }, times: Infinity });
      faults.add({ kind: 'delay', until: allStored, match: { when: isLaterList }, times: Infinity });
    }

    for (const [machines, mode, targetName, first] of [
      [1, 'trash', '{name}-{number}', 'home-0001.tar'],
      [1, 'permanent', '{name}', 'home.tar'],
      [2, 'trash', '{name}', 'home.tar'],
      [2, 'permanent', '{name}-{number}', 'home-0001.tar'],
    ] as const) {
      const where = machines === 1 ? 'in one Node-RED' : 'in each of two Node-REDs';
      it(`3 backups ${targetName} at once ${where} keep all new archives, and remove the old one by ${mode}`, async () => {
        const old = await add(first);
        holdUntilAllUploaded(3 * machines);
        const other = otherClient();
        const clients = [fixture.client, other.client].slice(0, machines);
        const burst = clients.flatMap((client): DriveClient[] => [client, client, client]);
        const results = await Promise.all(burst.map((each) => backup({ targetName, mode }, each)));
        other.close();
        left().should.eql(results.map(({ file }) => file.id).sort());
        should(results.map(({ laterError }) => laterError)).eql(burst.map(() => undefined));
        const removed = results.flatMap(({ pruned }) => pruned.removed.map(({ id }) => id));
        [...new Set(removed)].should.eql([old]);
        const next = await backup({ targetName, mode });
        left().should.eql([next.file.id]);
      });
    }

    it('An archive that another backup creates meanwhile replaces none of the old ones', async () => {
      for (const number of [1, 2]) await add(`home-000${number}.tar`);
      holdUntilAllUploaded(1);
      let added: Promise<string> | undefined;
      const onProgress = (): void => void (added ??= add('home-0009.tar'));
      const retention = { ...NO_RULES, keepNewest: 2 };
      const { pruned } = await backup({ retention, onProgress });
      pruned.kept.map(({ name }) => name).should.eql(['home-0003.tar', 'home-0002.tar', 'home-0009.tar']);
      left().should.containEql(await added);
    });
  });

  it('A backup never removes its own archive because its name is not recognized, as after the highest number', async () => {
    const highest = await add('home-999999999999999.tar');
    const { file, laterError } = await backup({
      mode: 'permanent',
      retention: { ...NO_RULES, keepNewest: 2 },
    });
    should(laterError).be.undefined();
    left().should.eql([highest, file.id].sort());
  });

  describe('with a wrong clock', () => {
    const DAY = 86_400_000;
    const created = (date: string): Record<string, unknown> => ({
      createdTime: `${date}T02:00:00.000Z`,
      modifiedTime: `${date}T02:00:00.000Z`,
    });

    const timeText = (time: string): string => String(new LocalTime(Date.parse(time)));

    for (const [title, jump, localTime] of [
      ['11 years ahead', 4_018, '2035-05-18T10:00Z'],
      ['2 days behind', -2, '2024-05-15T10:00Z'],
    ] as const)
      for (const hasDate of [true, false])
        it(`A clock ${title} removes nothing, and the error names both times, ${hasDate ? 'with' : 'without'} Date headers`, async () => {
          for (const day of [1, 2]) await add(`home-2024-05-0${day}.tar`);
          fixture.clock.jump(jump * DAY);
          if (!hasDate) {
            const headers = { date: 'unknown' };
            fixture.drive.faults.add({ kind: 'headers', headers, times: Infinity });
          }
          const retention = { ...NO_RULES, keepDays: 30, keepNewest: 1 };
          const more = { targetName: '{name}-{date}', mode: 'permanent', retention } as const;
          const { file, pruned, laterError } = await backup(more);
          should(laterError).have.properties({ code: 'partial_failure', text: 'partial_failure_clock' });
          const { params = {} } = laterError ?? {};
          should(params['name']).equal(file.name);
          const times = ['localTime', 'serviceTime'].map((name) => String(params[name]));
          times.should.eql([localTime, '2024-05-17T10:00Z'].map(timeText));
          pruned.should.eql({ kept: [], removed: [], failed: [] });
          left().should.have.length(3);
        });

    it('A clock that is 20 hours ahead removes what the rules say', async () => {
      await add('home-0001.tar');
      fixture.clock.jump(DAY * (20 / 24));
      const { file, laterError } = await backup();
      should(laterError).be.undefined();
      left().should.eql([file.id]);
    });

    it('If the clock was in 1970 until it was set, keepDays keeps archives by the time when they were created', async () => {
      const old = await add('home-1970-01-01-0001.tar', created('2024-04-15'));
      const recent = await add('home-1970-01-01-0002.tar', created('2024-05-15'));
      const retention = { ...NO_RULES, keepDays: 30 };
      const { file } = await backup({ targetName: '{name}-{date}-{number}', retention });
      left().should.eql([recent, file.id].sort()).and.not.containEql(old);
    });

    for (const [title, targetName, names] of [
      [
        'numbers',
        '{name}-{date}-{number}',
        ['home-2024-05-16-0001', 'home-2023-05-16-0002', 'home-2023-05-17-0003'],
      ],
      ['creation times', '{name}-{date}', ['home-2024-05-16', 'home-2023-05-16', 'home-2023-05-17']],
    ] as const)
      it(`If the clock went back a year, keepNewest keeps archives by their ${title}`, async () => {
        for (const [index, name] of names.entries())
          await add(`${name}.tar`, created(`2024-05-1${index + 3}`));
        const { file, pruned } = await backup({ targetName, retention: { ...NO_RULES, keepNewest: 2 } });
        pruned.kept.map(({ name }) => name).should.eql([file.name, `${names[2]}.tar`]);
        left().should.have.length(2);
      });
  });

  describe('if another backup has the same names in the folder', () => {
    const OTHERS: readonly [title: string, more: () => Partial<BackupRequest>][] = [
      ['of another machine', () => ({ host: 'other' })],
      ['of another path', () => ({ sources: [fixture.disk('other', 'home')] })],
      ['of more paths', () => ({ sources: [fixture.source, fixture.disk('other')] })],
    ];
    beforeEach(async () => {
      await mkdir(fixture.disk('other', 'home'), { recursive: true });
      await writeFile(fixture.disk('other', 'home', 'file'), 'file');
    });

    for (const [title, more] of OTHERS)
      for (const targetName of ['{name}-{number}', '{name}'])
        it(`archives ${targetName} ${title} stay and count for no rule, and all numbers differ`, async () => {
          const other = more();
          const [others, own] = [[await backup({ targetName, ...other })], [await backup({ targetName })]];
          for (let run = 0; run < 2; run++) {
            others.push(await backup({ targetName, ...other }));
            own.push(await backup({ targetName }));
          }
          const [theirs, ours] = [others, own].map((results) => results.at(-1)!) as [
            BackupResult,
            BackupResult,
          ];
          left().should.eql([theirs.file.id, ours.file.id].sort());
          [theirs, ours].map(({ otherSeries }) => otherSeries).should.eql([1, 1]);
          ours.pruned.removed.map(({ id }) => id).should.eql([own[1]!.file.id]);
          ours.pruned.kept.map(({ id }) => id).should.eql([ours.file.id]);
          const numbers = [...others, ...own].map((result) => result.backup.number);
          if (targetName.includes('number')) new Set(numbers).size.should.equal(numbers.length);
        });

    it('archives of the same machine count although its name has changed', async () => {
      await backup({ host: 'container-1', machine: 'machine' });
      const { file, otherSeries } = await backup({ host: 'container-2', machine: 'machine' });
      otherSeries.should.equal(0);
      left().should.eql([file.id]);
    });

    it('incomplete archives of another backup stay, too', async () => {
      const incomplete = await backup({ host: 'other' });
      const file = fixture.drive.files.find(incomplete.file.id);
      Object.assign(file ?? {}, { name: 'home-0001.incomplete.tar' });
      for (const retention of [KEEP_ONE, undefined]) await backup({ retention });
      left().should.containEql(incomplete.file.id);
    });

    it('archives without a note of their origin count as before, and so do those of the same paths in another order', async () => {
      const sources = [fixture.source, fixture.disk('other')];
      const old = await add('home-0001.tar');
      await backup({ sources });
      const { file, otherSeries } = await backup({
        sources: [...sources].reverse(),
        targetName: 'home-{number}',
      });
      otherSeries.should.equal(0);
      left().should.eql([file.id]).and.not.containEql(old);
    });
  });
});
