import should from 'should';
import { ArchiveNames } from '../../../src/backup/archive-name';
import { templateProblem } from '../../../nodes/shared/contract/backup-settings';
import { Calendar, isDriveError } from '../../../src/index';

const ORIGIN = { name: 'home', host: 'pi' };
const BERLIN = new Calendar('Europe/Berlin');
/** 02:30:05 in Berlin. */
const TIME = Date.parse('2026-11-22T01:30:05Z');
const MIDNIGHT = Date.parse('2026-11-21T23:00:00Z');

const names = (template: string, origin = ORIGIN): ArchiveNames => new ArchiveNames(template, origin, BERLIN);

describe('archive names', () => {
  it('placeholders stand for source, host, local date and time, and a number of at least four digits', () => {
    names('{name}-{date}-{number}').format(TIME, 42).should.equal('home-2026-11-22-0042');
    names('{host} {time} {number}').format(TIME, 12345).should.equal('pi 02-30-05 12345');
    names('fixed').format(TIME, 1).should.equal('fixed');
  });

  it('a name is recognized with its number and date, whatever its extension', () => {
    const own = names('{name}-{date}-{number}');
    for (const extension of ['.tar', '.tar.gz', '.tar.age', '.tar.gz.age']) {
      should(own.parse(`home-2026-11-22-0042${extension}`)).eql({
        ...{ number: 42, time: MIDNIGHT, isDay: true, isComplete: true },
      });
      const incomplete = own.parse(`home-2026-11-22-0042.incomplete${extension}`);
      should(incomplete).containEql({ number: 42, isComplete: false });
    }
    should(own.parse('home-2026-11-22-12345.tar')).have.property('number', 12345);
    should(names('{name} {date} {time}').parse('home 2026-11-22 02-30-05.tar.gz')).eql({
      number: undefined,
      time: TIME,
      isDay: false,
      isComplete: true,
    });
    should(names('fixed').parse('fixed.tar')).eql({
      ...{ number: undefined, time: undefined, isDay: false, isComplete: true },
    });
  });

  it('only the mark of an incomplete archive looks like it', () => {
    const own = names('{name}', { ...ORIGIN, name: 'old.incomplete' });
    own.format(TIME, 1).should.equal('old_incomplete');
    own.format(TIME, 1, false).should.equal('old_incomplete.incomplete');
    should(own.parse('old_incomplete.tar')).have.property('isComplete', true);
  });

  it('other names are not recognized', () => {
    const own = names('{name}-{date}-{number}');
    for (const name of [
      'home-2026-11-22-0042',
      'home-2026-11-22-0042.zip',
      'home-2026-11-22-0042.tar.gz.part',
      'home-2026-11-22-42.tar',
      'home-2026-02-30-0042.tar',
      'home-2026-13-01-0042.tar',
      'work-2026-11-22-0042.tar',
      'my home-2026-11-22-0042.tar',
      'Home-2026-11-22-0042.tar',
      'home-2026-11-22-0042 (1).tar',
    ]) {
      should(own.parse(name)).be.undefined();
    }
    should(names('{host}').parse('other.tar')).be.undefined();
  });

  it('every name that the template produces is recognized', () => {
    const odd = { name: 'a.b(c)[d]*+?^$|\\{number}-{x', host: 'hö"st' };
    for (const template of [
      '{name}-{number}',
      '{number}_{date}{time}',
      'x{host}.{name}.{date}',
      '{number}-{number}',
    ]) {
      const own = names(template, odd);
      const parsed = own.parse(`${own.format(TIME, 7)}.tar`);
      should(parsed).be.ok();
      should(parsed!.number).equal(template.includes('{number}') ? 7 : undefined);
    }
  });

  it('names are compared in the normalization form NFC', () => {
    const own = names('{name}', { name: 'fu\u0308r', host: '' });
    should(own.parse('f\u00fcr.tar')).be.ok();
    should(own.parse('fu\u0308r.tar')).be.ok();
  });

  for (const [template, text] of Object.entries({
    '': 'no_name property=targetName',
    '  ': 'no_name property=targetName',
    'a/{name}': 'slash property=targetName',
    '{nmae}': 'placeholder property=targetName placeholder={nmae}',
    '{name': 'placeholder property=targetName placeholder={name',
    '{Name}': 'placeholder property=targetName placeholder={Name}',
    '{}': 'placeholder property=targetName placeholder={}',
    '{number}.tar.gz': 'extension property=targetName name={number}.tar.gz extension=.tar.gz',
    '{name}{number}': 'separator property=targetName parts={name}{number}',
    '{number}{name}': 'separator property=targetName parts={number}{name}',
    '{date}{number}': 'separator property=targetName parts={date}{number}',
    '{number}{time}': 'separator property=targetName parts={number}{time}',
    '{number}{number}': 'separator property=targetName parts={number}{number}',
    '{name}-1{number}': 'separator property=targetName parts=1{number}',
    '{number}2-{name}': 'separator property=targetName parts={number}2',
    'x{name}{host}': 'separator property=targetName parts={name}{host}',
    '{host}{name}': 'separator property=targetName parts={host}{name}',
    'a.TAR': 'extension property=targetName name=a.TAR extension=.TAR',
    'a.tgz ': 'extension property=targetName name=a.tgz  extension=.tgz',
    'a.tar.gz.age': 'extension property=targetName name=a.tar.gz.age extension=.tar.gz.age',
    'a.zip': 'extension property=targetName name=a.zip extension=.zip',
    '{name}.incomplete': 'extension property=targetName name={name}.incomplete extension=.incomplete',
    '.tar.gz': 'extension property=targetName name=.tar.gz extension=.tar.gz',
  })) {
    it(`the template “${template}” is invalid input, for the runtime and for the dialog`, () => {
      let message = '';
      try {
        names(template);
      } catch (error) {
        if (isDriveError(error, 'invalid_input')) ({ message } = error);
      }
      message.should.equal(`invalid_input_archive_${text}`);
      // The dialog accepts an empty field, which means the default.
      const [problem] = text.split(' ');
      if (problem !== 'no_name') should(templateProblem(template)?.[0]).equal(problem);
    });
  }

  for (const template of [
    '{name}',
    'tar',
    '{name}.tar-{number}',
    'v1.2',
    '{date}.{number}',
    'gz.{name}',
    '{name}{date}{time}',
  ]) {
    it(`the template “${template}” is valid, for the runtime and for the dialog`, () => {
      names(template);
      should(templateProblem(template)).be.undefined();
    });
  }

  for (const template of ['a\n{name}', '{name}\r', 'a\0b', '\u0085'])
    it(`the template ${JSON.stringify(template)} is invalid input, because of its control character`, () => {
      should(() => names(template)).throw({ text: 'invalid_input_archive_control' });
    });

  it('a slash or control character in the name of a source or machine becomes an underscore', () => {
    const own = names('{name}@{host}', { name: 'two\nlines', host: 'a/b\u0085' });
    own.format(TIME, 1).should.equal('two_lines@a_b_');
    should(own.parse('two_lines@a_b_.tar')).be.ok();
  });

  it('two dots are a name like any other', () => {
    names('..').format(TIME, 1).should.equal('..');
  });

  it('the name of a source may have an extension', () => {
    names('{name}', { name: 'photos.tar.gz', host: '' }).format(TIME, 1).should.equal('photos.tar.gz');
  });
});
