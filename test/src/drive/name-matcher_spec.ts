/** Match modes for names: docs/nodes/search-files.md. */
import 'should';
import should from 'should';
import fc from 'fast-check';
import { type MatchMode, createNameMatcher } from '../../../src/drive/name-matcher';
import { checkProperty } from '../../support/property';

function matches(match: MatchMode, text: string, name: string, caseSensitive = false): boolean {
  const [found] = createNameMatcher({ match, text, caseSensitive })([name]);
  return found === true;
}

describe('createNameMatcher', () => {
  const matching: [MatchMode, string, string][] = [
    ['anywhere', '42', 'backup-2042.tar'],
    ['anywhere', 'BACKUP', 'my-backup'],
    ['anywhere', 'Stra\u00dfe', 'STRASSE 5'],
    ['anywhere', 'Cafe\u0301', 'mon caf\u00e9'],
    ['exact', 'Caf\u00e9', 'Cafe\u0301'],
    ['glob', '*.tar.gz', 'a.tar.gz'],
    ['glob', 'backup-????.tar', 'backup-2042.tar'],
    ['glob', 'backup-[0-9][!a-z]*', 'backup-2042.tar'],
    ['glob', '*.TAR', 'a.tar'],
    ['glob', '*', 'a\nb/../c'],
    ['glob', 'a/*', 'a/b'],
    ['glob', '?', '\u{1F600}'],
    ['glob', 'a[[]', 'a['],
    ['glob', 'a[]]', 'a]'],
    ['glob', '[!^]', 'a'],
    ['glob', '[!]', '[!]'],
    ['glob', 'a+b(c)|{d}$^.', 'a+b(c)|{d}$^.'],
    ['glob', '[a\\]', '\\'],
    ['regex', '^backup-\\d+', 'Backup-12.tar'],
    ['regex', '\\p{Emoji_Presentation}', 'party \u{1F600}'],
  ];
  for (const [match, text, name] of matching) {
    it(`${match} ${JSON.stringify(text)} matches ${JSON.stringify(name)}`, () => {
      matches(match, text, name).should.equal(true);
    });
  }

  const notMatching: [MatchMode, string, string, boolean?][] = [
    ['anywhere', '43', 'backup-2042.tar'],
    ['anywhere', 'BACKUP', 'my-backup', true],
    ['exact', 'a', 'A'],
    ['glob', '*.tar', 'a.tar.gz'],
    ['glob', '*.TAR', 'a.tar', true],
    ['glob', '?', ''],
    ['glob', 'a.b', 'aXb'],
    ['glob', '[!0-9]*', '42'],
    ['regex', '^b', 'ab'],
    ['regex', 'A', 'a', true],
  ];
  for (const [match, text, name, caseSensitive] of notMatching) {
    it(`${match} ${JSON.stringify(text)} doesn’t match ${JSON.stringify(name)}`, () => {
      matches(match, text, name, caseSensitive).should.equal(false);
    });
  }

  it('a glob with its special characters in brackets matches the same name', () => {
    checkProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const glob = name.replace(/[*?[]/g, '[$&]');
        return matches('glob', glob, name, true) || name === '';
      }),
    );
  });

  it('createNameMatcher rejects an invalid pattern', () => {
    for (const [pattern, reason] of [
      ['(', 'Unterminated group'],
      ['[z-a]', 'Range out of order in character class'],
      ['a: (\n', 'Unterminated group'],
      ['\\p{Nonsense}', 'Invalid property name'],
      ['a{2,1}', 'numbers out of order in {} quantifier'],
    ] as const) {
      const invalid = { match: 'regex', text: pattern, caseSensitive: true, property: 'text' } as const;
      should(() => createNameMatcher(invalid)).throw({
        code: 'invalid_input',
        text: 'invalid_input_regex',
        params: { property: 'text', pattern, reason },
      });
    }
    should(() => createNameMatcher({ match: 'glob', text: '[z-a]', caseSensitive: true })).throw({
      text: 'invalid_input_pattern_range',
      params: { property: 'pattern', pattern: '[z-a]', range: 'z-a' },
    });
    should(() => createNameMatcher({ match: 'glob', text: 'a[1*', caseSensitive: true })).throw({
      params: { property: 'pattern', pattern: 'a[1*', char: '[' },
    });
  });

  it('createNameMatcher takes braces in a glob as they are', () => {
    matches('glob', '{a,b}.txt', '{a,b}.txt', true).should.be.true();
    matches('glob', '{a,b}.txt', 'a.txt', true).should.be.false();
    matches('glob', '{*', '{a', true).should.be.true();
  });

  it('createNameMatcher stops patterns that backtrack too long', () => {
    const hostile = createNameMatcher({ match: 'regex', text: '^(a+)+$', caseSensitive: true });
    should(() => hostile([`${'a'.repeat(10_000)}b`])).throw({ text: 'invalid_input_pattern_slow' });
    hostile(['aaa']).should.deepEqual([true]);
  });

  it('createNameMatcher compares a glob with many * without backtracking', () => {
    const glob = createNameMatcher({ match: 'glob', text: '*a*a*a*a*a*b', caseSensitive: true });
    glob(['a'.repeat(10_000), `${'a'.repeat(10_000)}b`]).should.deepEqual([false, true]);
  });

  it('createNameMatcher stops slow patterns in a thread, without blocking the event loop', async () => {
    const pattern = { match: 'regex', caseSensitive: true, inThread: true } as const;
    const names = [`${'a'.repeat(10_000)}b`, 'É'];
    let turns = 0;
    const timer = setInterval(() => turns++, 20);
    const hostile = Promise.resolve(createNameMatcher({ ...pattern, text: '^(a+)+$' })(names));
    await should(hostile).be.rejectedWith({ text: 'invalid_input_pattern_slow' });
    clearInterval(timer);
    turns.should.be.above(5);
    (await createNameMatcher({ ...pattern, caseSensitive: false, text: 'e\u0301' })(names)).should.eql([
      false,
      true,
    ]);
  });

  it('createNameMatcher matches a page of 1,000 names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `backup-${index}.tar`);
    const found = createNameMatcher({ match: 'regex', text: '42', caseSensitive: true })(names);
    found.filter(Boolean).length.should.equal(20);
  });
});
