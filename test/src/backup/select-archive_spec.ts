/** Which archive of a folder is restored. */
import { runInNewContext } from 'node:vm';
import should from 'should';
import { type ArchiveChoice, type DriveFile, parseUntil } from '../../../src/index';
import { describeArchive, isArchiveName } from '../../../src/backup/archive-file';
import { Calendar } from '../../../src/backup/retention/calendar';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { tar } from '../../support/archive/tar-builder';
import { rejected } from '../../support/client/rejected';

const local = (text: string): number => new Date(text).getTime();

describe('describeArchive', () => {
  const cases: [string, number | null, string | null][] = [
    ['home-2026-11-22-0042.tar.gz', 42, '2026-11-22T00:00:00'],
    ['home-2026-11-22-02-30-00-0042.tar.gz.age', 42, '2026-11-22T02:30:00'],
    ['home-0042-2026-11-22.tar', 42, '2026-11-22T00:00:00'],
    ['home-2026-11-22-0042-02-30-00.tgz', 42, '2026-11-22T00:00:00'],
    ['20261122T023000-7.tar', 7, '2026-11-22T02:30:00'],
    ['20261122T023000Z-7.tar', 7, '2026-11-22T02:30:00Z'],
    ['v2-backup-15.tar', 15, null],
    ['home-2026-11-22.tar', null, '2026-11-22T00:00:00'],
    ['home-02-30-00.tar', null, null],
    ['home.tar', null, null],
    ['#0012345678.tar', 12_345_678, null],
  ];
  for (const [name, number, time] of cases) {
    it(`The archive ${name} has the number ${number} and the time ${time}`, () => {
      const archive = describeArchive({ id: '1', name }, new Calendar(''));
      archive.number?.should.equal(number);
      (archive.number === null).should.equal(number === null);
      (archive.time === null).should.equal(time === null);
      if (time !== null) archive.time?.should.equal(local(time));
    });
  }

  it('Without a time in its name, an archive has the time of its creation on that day', () => {
    const timeOf = (file: Partial<DriveFile>): number | null =>
      describeArchive({ id: '1', name: 'home-2026-11-22.tar', ...file }, new Calendar('')).time;
    const sameDay = new Date(local('2026-11-22T02:30:05')).toISOString();
    timeOf({ createdTime: sameDay })?.should.equal(local('2026-11-22T02:30:05'));
    timeOf({ createdTime: '2027-01-05T00:00:00Z' })?.should.equal(local('2026-11-22T00:00:00'));
    const unnamed = describeArchive({ id: '1', name: 'a.tar', modifiedTime: sameDay }, new Calendar(''));
    unnamed.time?.should.equal(local('2026-11-22T02:30:05'));
  });

  it('Archives end in .tar, .tar.gz or .tgz, or in one of these and .age', () => {
    const accepted = ['a.tar', 'a.tar.gz', 'a.tgz', 'A.TAR.GZ', 'a.tar.age', 'a.tar.gz.age', 'a.tgz.age'];
    accepted.every(isArchiveName).should.be.true();
    ['a', 'tar', 'a.gz', 'a.zip', 'a.tar.xz', 'a.age', 'a.tar.gz.part'].some(isArchiveName).should.be.false();
  });
});

describe('parseUntil', () => {
  const end = local('2026-11-23T00:00:00') - 1;
  const cases: [unknown, number | undefined][] = [
    ['2026-11-22', end],
    [' 20261122 ', end],
    ['2026.11.22', end],
    ['2026-11-22T02:30', local('2026-11-22T02:30:00')],
    ['2026-11-22 02:30:05', local('2026-11-22T02:30:05')],
    ['2026-11-22T02:30:05Z', Date.UTC(2026, 10, 22, 2, 30, 5)],
    ['2026-11-22T02:30:05+02:00', Date.UTC(2026, 10, 22, 0, 30, 5)],
    [1_700_000_000_000, 1_700_000_000_000],
    [1.5, 1],
    [-1.5, -2],
    [-86_400_000, -86_400_000],
    [8.64e15, 8.64e15],
    [8.65e15, undefined],
    [Infinity, undefined],
    [new Date(5), 5],
    [runInNewContext('new Date(5)'), 5],
    ['2026-02-30', undefined],
    ['yesterday', undefined],
    ['42', undefined],
    ['', undefined],
    [NaN, undefined],
    [new Date(NaN), undefined],
    [undefined, undefined],
    [{}, undefined],
  ];
  for (const [value, expected] of cases) {
    it(`The date ${String(value)} (${typeof value}) is ${expected === undefined ? 'refused' : expected}`, () => {
      (parseUntil(value) ?? 'none').should.equal(expected ?? 'none');
    });
  }
});

describe('restore by newest, number, date or file', () => {
  const fixture = restoreFixture();
  const add = (name: string, more: object = {}): Promise<string> =>
    fixture.drive.files.add({ name, parent: fixture.folderId, content: tar({ name: 'a' }), ...more });

  /** @returns the name of the archive that was restored */
  async function selected(choice: ArchiveChoice, pattern = '*'): Promise<string | undefined> {
    return (await fixture.restore({ choice, pattern, overwrite: 'replace' })).file.name;
  }

  async function addSome(): Promise<void> {
    await add('home-2026-11-20-0040.tar');
    await add('home-2026-11-22-0042.tar');
    await add('home-2026-11-21-0041.tar');
    await add('photos-2026-11-23-0001.tar');
    await add('home-2026-12-01-0099.zip');
  }

  it('An incomplete archive is only restored if it is selected as a file', async () => {
    await addSome();
    const name = 'home-2026-11-24-0043.incomplete.tar';
    const fileId = await add(name);
    should(await selected({ which: 'newest' }, 'home-*')).equal('home-2026-11-22-0042.tar');
    const until = parseUntil('2026-11-24') as number;
    should(await selected({ which: 'date', until }, 'home-*')).equal('home-2026-11-22-0042.tar');
    const byNumber = selected({ which: 'number', number: 43 });
    const noNumber = await rejected(byNumber, 'not_found', 'not_found_archive_number_incomplete');
    noNumber.params.should.containEql({ name, number: 43, folder: '/Backups' });
    await add('home-2026-11-19-0039.incomplete.tar');
    const byDate = selected({ which: 'date', until: parseUntil('2026-11-19') as number });
    await rejected(byDate, 'not_found', 'not_found_archive_date_incomplete');
    const byName = selected({ which: 'newest' }, '*.incomplete.tar');
    await rejected(byName, 'not_found', 'not_found_archive_incomplete');
    should(await selected({ which: 'file', fileId })).equal(name);
  });

  it('The newest archive is the one with the latest date in its name', async () => {
    await addSome();
    (await selected({ which: 'newest' }))?.should.equal('photos-2026-11-23-0001.tar');
    (await selected({ which: 'newest' }, 'home-*'))?.should.equal('home-2026-11-22-0042.tar');
  });

  it('Of several archives with one date, the one with the highest number is the newest', async () => {
    await add('home-2001-11-22-0009.tar');
    await add('home-2001-11-22-0010.tar');
    await add('home-2001-11-22-0008.tar');
    (await selected({ which: 'newest' }))?.should.equal('home-2001-11-22-0010.tar');
  });

  it('Of archives with one date, but of different backups, the one created last is the newest', async () => {
    const createdTime = (day: number): object => ({ createdTime: `2026-01-0${day}T00:00:00.000Z` });
    await add('docs-2001-11-22-0042.tar', createdTime(1));
    await add('photos-2001-11-22-0003.tar', createdTime(3));
    await add('docs-2001-11-22-0041.tar', createdTime(2));
    (await selected({ which: 'newest' }))?.should.equal('photos-2001-11-22-0003.tar');
    await add('docs-2001-11-22-0043.tar', createdTime(4));
    (await selected({ which: 'newest' }))?.should.equal('docs-2001-11-22-0043.tar');
    await add('disk1-2001-11-22-02-30-00-0009.tar', createdTime(5));
    await add('disk2-2001-11-22-02-30-00-0001.tar', createdTime(6));
    (await selected({ which: 'newest' }))?.should.equal('disk2-2001-11-22-02-30-00-0001.tar');
  });

  it('Of two archives with one date, the higher number is newer, even if its upload ended after midnight', async () => {
    const created = (text: string): object => ({ createdTime: new Date(local(text)).toISOString() });
    await add('home-2001-11-22-0042.tar', created('2001-11-23T01:00:00'));
    await add('home-2001-11-22-0041.tar', created('2001-11-22T12:00:00'));
    (await selected({ which: 'newest' }))?.should.equal('home-2001-11-22-0042.tar');
  });

  it('Of two archives with one name, the one created last is the newest', async () => {
    const name = 'home-2001-11-22-02-30-00-0042.tar';
    const created = (day: number): object => ({ createdTime: `2026-01-0${day}T00:00:00.000Z` });
    await add(name, created(1));
    const last = await add(name, created(3));
    await add(name, created(2));
    (await fixture.restore({ pattern: '*' })).file.id.should.equal(last);
  });

  for (const [title, names] of [
    ['the number', ['home-2001-11-22-0001', 'home-2000-11-23-0002']],
    ['the creation time', ['home-2001-11-22', 'home-2000-11-23']],
    ['the number, although a date is ahead', ['home-2037-01-01-0001', 'home-2001-11-23-0002']],
    ['the creation time, although a date is ahead', ['home-2037-01-01', 'home-2001-11-23']],
  ] as const)
    it(`After a wrong clock, ${title} decides which archive is the newest`, async () => {
      for (const [index, name] of names.entries())
        await add(`${name}.tar`, { createdTime: `2024-01-0${index + 1}T00:00:00.000Z` });
      (await selected({ which: 'newest' }))?.should.equal(`${names[1]}.tar`);
    });

  it('A date that is more than a day ahead of the service doesn’t count, as far as the service’s time is known', async () => {
    const equal = { createdTime: '2001-11-23T00:00:00.000Z', modifiedTime: '2001-11-23T00:00:00.000Z' };
    await add('home-2037-01-01.tar', equal);
    await add('home-2001-11-24.tar', equal);
    (await selected({ which: 'newest' }))?.should.equal('home-2001-11-24.tar');
    const until = { which: 'date', until: Date.parse('2001-11-23T12:00:00Z') } as const;
    (await selected(until))?.should.equal('home-2037-01-01.tar');
  });

  it('Of archives that were copied together, the one that was modified last is the newest', async () => {
    const copied = (day: number, hour: number): object => ({
      createdTime: `2026-01-01T0${hour}:00:00.000Z`,
      modifiedTime: `2025-01-0${day}T00:00:00.000Z`,
    });
    await add('home-2025-01-02.tar', copied(2, 3));
    await add('home-2025-01-03.tar', copied(3, 1));
    (await selected({ which: 'newest' }))?.should.equal('home-2025-01-03.tar');
  });

  it('Without a date in its name, an archive has the time of its creation', async () => {
    await add('old.tar', { createdTime: '2025-01-01T00:00:00.000Z' });
    await add('new.tar', { createdTime: '2026-01-01T00:00:00.000Z' });
    await add('older.tar', { createdTime: '2024-01-01T00:00:00.000Z' });
    (await selected({ which: 'newest' }))?.should.equal('new.tar');
  });

  it('A number selects the archive with that number, however many digits it has', async () => {
    await addSome();
    (await selected({ which: 'number', number: 41 }))?.should.equal('home-2026-11-21-0041.tar');
    const error = await rejected(selected({ which: 'number', number: 2_026 }), 'not_found');
    error.text.should.equal('not_found_archive_number');
    error.params.should.deepEqual({ folder: '/Backups', pattern: '*', number: 2_026 });
  });

  it('A number that archives of several names have is a conflict naming them', async () => {
    await add('home-2026-11-22-0042.tar');
    await add('home-2026-11-23-0042.tar');
    (await selected({ which: 'number', number: 42 }))?.should.equal('home-2026-11-23-0042.tar');
    await add('photos-42.tar');
    const error = await rejected(
      selected({ which: 'number', number: 42 }),
      'conflict',
      'conflict_archive_number',
    );
    String(error.params['names']).should.containEql('photos-42.tar');
    const where = { folderId: fixture.folderId, folderName: '/Backups', pattern: '*', fields: 'id' };
    const choice = { which: 'number', number: 42 } as const;
    should((await fixture.client.findArchives({ ...where, choice })).selected).be.undefined();
    (await selected({ which: 'number', number: 42 }, 'photos*'))?.should.equal('photos-42.tar');
    await add('disk1-7.tar');
    await add('disk2-7.tar');
    await rejected(selected({ which: 'number', number: 7 }), 'conflict', 'conflict_archive_number');
  });

  it('A date selects the newest archive that is not newer', async () => {
    await addSome();
    const until = (text: string): ArchiveChoice => ({ which: 'date', until: parseUntil(text) ?? 0 });
    (await selected(until('2026-11-21')))?.should.equal('home-2026-11-21-0041.tar');
    (await selected(until('2030-01-01'), 'home-*'))?.should.equal('home-2026-11-22-0042.tar');
    const error = await rejected(selected(until('2026-11-19')), 'not_found', 'not_found_archive_date');
    error.params.should.have.properties({ folder: '/Backups', pattern: '*' });
    String(error.params['date']).should.startWith('2026-11-19 23:59 UTC');
  });

  it('A given file is restored from anywhere, if it is an archive', async () => {
    const fileId = await fixture.drive.files.add({ name: 'x.tgz', content: tar({ name: 'a' }) });
    (await selected({ which: 'file', fileId }))?.should.equal('x.tgz');
    const other = await add('x.zip');
    const error = await rejected(selected({ which: 'file', fileId: other }), 'invalid_input');
    error.text.should.equal('invalid_input_no_archive');
    await rejected(selected({ which: 'file', fileId: 'missing' }), 'not_found');
  });

  it('A folder without a matching archive is not_found, naming folder and pattern, and the target is not created', async () => {
    await addSome();
    const error = await rejected(selected({ which: 'newest' }, 'other-*'), 'not_found', 'not_found_archive');
    error.params.should.deepEqual({ folder: '/Backups', pattern: 'other-*' });
    (await fixture.names()).should.deepEqual([]);
  });

  it('A list that stays incomplete is bad_response after three attempts', async () => {
    await addSome();
    fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 3 });
    await rejected(selected({ which: 'newest' }), 'bad_response', 'bad_response_incomplete_archives');
    fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 2 });
    (await selected({ which: 'newest' }))?.should.equal('photos-2026-11-23-0001.tar');
  });
});
