/** Globs for paths. */
import 'should';
import { createPathMatcher } from '../../../src/search/path-globs';
import { DriveError } from '../../../src/errors';

/** As errors quote a pattern. */
const shortened = (glob: string): string => (glob.length > 100 ? `${glob.slice(0, 100)}…` : glob);

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
    ['./a.log', 'a.log', true],
    ['./a.log', 'home/a.log', false],
    ['a.log/', 'home/a.log', true],
    ['home//docs', 'home/docs', true],
    ['home/./docs', 'home/docs', true],
    ['**', 'home/docs', true],
    ['...', 'home/...', true],
    ['[\\]', 'home/\\', true],
    ['home/docs', 'home/docs2', false],
    ['home/**/one.txt', 'home/one.txt', true],
    ['home/**/one.txt', 'home/a/b/one.txt', true],
    ['home/**/one.txt', 'one.txt', false],
    ['home/**', 'home/a/b', true],
    ['home/**', 'home/a', true],
    ['home/**', 'home', false],
    ['home/**/**', 'home', false],
    ['**/home/**', 'a/home', false],
    ['**/home/**', 'a/home/b', true],
    ['{home,x}/**', 'home', false],
    ['**', 'a', true],
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
    ['*.{txt,log}', 'home/a.log', true],
    ['*.{txt,log}', 'home/a.txt', true],
    ['*.{txt,log}', 'a.{txt,log}', false],
    ['*.{txt,log}', 'a.', false],
    ['a{,b}c', 'ac', true],
    ['a{,b}c', 'abc', true],
    ['{a,b}{1,2}', 'b1', true],
    ['{a,b{c,d}}.txt', 'bd.txt', true],
    ['{a,b{c,d}}.txt', 'a.txt', true],
    ['{a,b{c,d}}.txt', 'b.txt', false],
    ['{a,{b}}', '{b}', true],
    ['{{a,b}}', '{a}', true],
    ['{*.log,cache/**}', 'cache/a/b', true],
    ['{*.log,cache/**}', 'home/a.log', true],
    ['{*.log,cache/**}', 'home/cache/a', false],
    ['{[,],x}', ',', true],
    ['[{]a,b}', '{a,b}', true],
    ['a,b', 'a,b', true],
    ['a}', 'a}', true],
    ['{1..3}', '{1..3}', true],
    ['{a,}', 'a', true],
    ['{a,}', 'b', false],
    [' {a, b}.txt ', ' b.txt', true],
    ['[ ]a', ' a', true],
    ['#a', '#a', true],
    ['a.txt', 'aXtxt', false],
    ['a*b*c', 'aXbXbXc', true],
    ['', 'anything', false],
    ['  ', 'anything', false],
  ];
  for (const [glob, path, matches] of cases) {
    it(`The glob ${JSON.stringify(glob)} ${matches ? 'matches' : "doesn't match"} ${JSON.stringify(path)}`, () => {
      createPathMatcher([glob])(path).should.equal(matches);
    });
  }

  it('a glob that ends in /** matches the folder itself, but no file of its name', () => {
    for (const glob of ['home/**', 'home/**/**', '**/home/**']) {
      const matches = createPathMatcher([glob]);
      [matches('home', true), matches('home', false)].should.eql([true, false]);
    }
  });

  it('A path matches if one of several globs matches it', () => {
    const matcher = createPathMatcher(['*.a', '*.b']);
    ['x.a', 'x.b', 'x.c'].map((path) => matcher(path)).should.deepEqual([true, true, false]);
  });

  it('A glob with many stars is matched in little time', () => {
    createPathMatcher([`${'*a'.repeat(30)}*b`])('a'.repeat(5_000)).should.be.false();
  }).timeout(60_000);

  for (const [glob, char] of [
    ['*.jp[eg', '['],
    ['[', '['],
    ['a[b/c]', '['],
    ['*.{jpg,png', '{'],
    ['{a,{b}', '{'],
    ['{'.repeat(50_000), '{'],
    ['[}]{', '{'],
  ] as const) {
    it(`The glob ${glob.slice(0, 20)} is invalid_input, because ${char} is never closed`, () => {
      (() => createPathMatcher(['*.a', glob], 'exclude')).should.throw(DriveError, {
        text: 'invalid_input_pattern_open',
        params: { property: 'exclude', pattern: shortened(glob), char },
      });
    });
  }

  it('A glob may have 1,000 alternatives', () => {
    const digit = '{0,1,2,3,4,5,6,7,8,9}';
    const matcher = createPathMatcher([digit.repeat(3)]);
    ['000', '427', '999', '42'].map((path) => matcher(path)).should.deepEqual([true, true, true, false]);
  });

  for (const glob of [
    '{a,b}'.repeat(10),
    '{0,1}'.repeat(30),
    `{${'a,'.repeat(1001)}}`,
    `{${'{0,1},'.repeat(501)}x}`,
  ]) {
    it(`The glob ${glob.slice(0, 20)}… is invalid_input, because it has too many alternatives`, () => {
      (() => createPathMatcher([glob], 'include')).should.throw(DriveError, {
        code: 'invalid_input',
        text: 'invalid_input_pattern_alternatives',
        params: { property: 'include', pattern: shortened(glob) },
      });
    });
  }

  for (const [glob, range] of [
    ['[z-a]x', 'z-a'],
    ['a/[!b-c3-1]', '3-1'],
    ['[😀-a]', '😀-a'],
    ['{x,[é-e]}', 'é-e'],
    ['[--+]', '--+'],
  ] as const) {
    it(`The glob ${glob} is invalid_input, because the range ${range} is backward`, () => {
      (() => createPathMatcher([glob], 'include')).should.throw(DriveError, {
        code: 'invalid_input',
        text: 'invalid_input_pattern_range',
        params: { property: 'include', pattern: glob, range },
      });
    });
  }

  for (const [text, reason, globs] of [
    [
      'impossible',
      'can never match',
      ['/', '//', '.', './', '..', '../a', 'a/../b', '**/..', '{a,../b}', ' / '],
    ],
    ['backslash', 'contains a backslash', ['cache\\*.tmp', '\\#a', '{a\\,b}', '[a]\\']],
  ] as const) {
    for (const glob of globs) {
      it(`The glob ${JSON.stringify(glob)} is invalid_input, because it ${reason}`, () => {
        (() => createPathMatcher([glob], 'exclude')).should.throw(DriveError, {
          code: 'invalid_input',
          text: `invalid_input_pattern_${text}`,
          params: { property: 'exclude', pattern: glob.trim() },
        });
      });
    }
  }

  it('A glob with a set without a backward range is accepted', () => {
    const globs = ['[a-a]', '[a-b-A]', '[z-]', '[-a]', '[!-a]', '[^-a]', '[]-a]', '[--a]', '[\\-a]'];
    (() => createPathMatcher(globs)).should.not.throw();
  });
});
