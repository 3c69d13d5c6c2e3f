/** Globs for paths. */
import 'should';
import { createPathMatcher } from '../../../src/search/path-globs';
import { DriveError } from '../../../src/errors';

describe('createPathMatcher', () => {
  const cases: [string, string, boolean][] = [
    ['*.log', 'a.log', true],
    ['*.log', 'home/deep/a.log', true],
    ['*.log', 'home/a.log.gz', false],
    ['node_modules', 'home/node_modules/x/index.js', true],
    ['home/*.log', 'home/a.log', true],
    ['home/*.log', 'home/deep/a.log', false],
    ['home/*.log', 'other/home/a.log', false],
    ['/a.log', 'a.log', true],
    ['/a.log', 'home/a.log', false],
    ['home/docs', 'home/docs/letters/one.txt', true],
    ['home/docs/', 'home/docs', true],
    ['./home/docs', 'home/docs', true],
    ['home/docs', 'home/docs2', false],
    ['home/**/one.txt', 'home/one.txt', true],
    ['home/**/one.txt', 'home/a/b/one.txt', true],
    ['home/**/one.txt', 'one.txt', false],
    ['home/**', 'home/a/b', true],
    ['**/b', 'a/b', true],
    ['?.txt', 'é.txt', true],
    ['?.txt', 'e\u0301.txt', true],
    ['?.txt', '😀.txt', true],
    ['?.txt', 'ab.txt', false],
    ['[a-c].txt', 'b.txt', true],
    ['[!a-c].txt', 'b.txt', false],
    ['a[[]1].txt', 'a[1].txt', true],
    ['[{]a', '{a', true],
    ['{a}', '{a}', true],
    ['{a/b}', '{a/b}', true],
    ['a.txt', 'aXtxt', false],
    ['a*b*c', 'aXbXbXc', true],
    ['', 'anything', false],
  ];
  for (const [glob, path, matches] of cases) {
    it(`The glob ${JSON.stringify(glob)} ${matches ? 'matches' : "doesn't match"} ${JSON.stringify(path)}`, () => {
      createPathMatcher([glob])(path).should.equal(matches);
    });
  }

  it('A path matches if one of several globs matches it', () => {
    const matcher = createPathMatcher(['*.a', '*.b']);
    ['x.a', 'x.b', 'x.c'].map(matcher).should.deepEqual([true, true, false]);
  });

  it('A glob with many stars is matched in little time', () => {
    createPathMatcher([`${'*a'.repeat(30)}*b`])('a'.repeat(5_000)).should.be.false();
  }).timeout(60_000);

  for (const [glob, char] of [
    ['*.jp[eg', '['],
    ['[', '['],
    ['a[b/c]', '['],
    ['*.{jpg,png', '{'],
    ['[}]{', '{'],
  ] as const) {
    it(`The glob ${glob} is invalid_input, because ${char} is never closed`, () => {
      (() => createPathMatcher(['*.a', glob], 'exclude')).should.throw(DriveError, {
        text: 'invalid_input_pattern_open',
        params: { property: 'exclude', pattern: glob, char },
      });
    });
  }

  it('An invalid range in a glob is invalid_input', () => {
    (() => createPathMatcher(['[z-a]'])).should.throw(DriveError, { code: 'invalid_input' });
  });
});
