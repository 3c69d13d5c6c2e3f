/** Globs for paths. */
import 'should';
import { createPathMatcher } from '../../../../src/core/globs/path-globs';
import { DriveError } from '../../../../src/errors';

/** As errors quote a pattern. */
const shortened = (glob: string): string => (glob.length > 100 ? `${glob.slice(0, 100)}…` : glob);

/** @param text of the error, without its prefix */
function shouldBeInvalid(glob: string, text: string, params: object = {}): void {
  (() => createPathMatcher(['*.a', glob], 'exclude')).should.throw(DriveError, {
    code: 'invalid_input',
    text: `invalid_input_pattern_${text}`,
    params: { property: 'exclude', pattern: shortened(glob.trim()), ...params },
  });
}

describe('createPathMatcher', () => {
  /** The paths that each glob matches, and others. */
  const cases: [glob: string, matching: string[], others?: string[]][] = [
    ['*.log', ['a.log', 'home/deep/a.log'], ['home/a.log.gz']],
    ['node_modules', ['home/node_modules/x/index.js']],
    ['home/*.log', ['home/a.log'], ['home/deep/a.log', 'other/home/a.log']],
    ['/a.log', ['a.log'], ['home/a.log']],
    ['home/docs', ['home/docs/letters/one.txt'], ['home/docs2']],
    ['home/docs/', ['home/docs']],
    ['./home/docs', ['home/docs']],
    ['./a.log', ['a.log'], ['home/a.log']],
    ['a.log/', ['home/a.log']],
    ['home//docs', ['home/docs']],
    ['home/./docs', ['home/docs']],
    ['**', ['home/docs', 'a']],
    ['...', ['home/...']],
    ['[\\]', ['home/\\']],
    ['home/**/one.txt', ['home/one.txt', 'home/a/b/one.txt'], ['one.txt']],
    ['home/**', ['home/a/b', 'home/a'], ['home']],
    ['home/**/**', [], ['home']],
    ['**/home/**', ['a/home/b'], ['a/home']],
    ['{home,x}/**', [], ['home']],
    ['**/b', ['a/b']],
    ['?.txt', ['é.txt', 'e\u0301.txt', '😀.txt'], ['ab.txt']],
    ['[a-c].txt', ['b.txt']],
    ['[!a-c].txt', [], ['b.txt']],
    ['a[[]1].txt', ['a[1].txt']],
    ['[{]a', ['{a']],
    ['{a}', ['{a}']],
    ['{a/b}', ['{a/b}']],
    ['*.{txt,log}', ['home/a.log', 'home/a.txt'], ['a.{txt,log}', 'a.']],
    ['a{,b}c', ['ac', 'abc']],
    ['{a,b}{1,2}', ['b1']],
    ['{a,b{c,d}}.txt', ['bd.txt', 'a.txt'], ['b.txt']],
    ['{a,{b}}', ['{b}']],
    ['{{a,b}}', ['{a}']],
    ['{*.log,cache/**}', ['cache/a/b', 'home/a.log'], ['home/cache/a']],
    ['{[,],x}', [',']],
    ['[{]a,b}', ['{a,b}']],
    ['a,b', ['a,b']],
    ['a}', ['a}']],
    ['{1..3}', ['{1..3}']],
    ['{a,}', ['a'], ['b']],
    [' {a, b}.txt ', [' b.txt']],
    ['[ ]a', [' a']],
    ['#a', ['#a']],
    ['a.txt', [], ['aXtxt']],
    ['a*b*c', ['aXbXbXc']],
    ['', [], ['anything']],
    ['  ', [], ['anything']],
  ];
  for (const [glob, matching, others = []] of cases) {
    for (const path of [...matching, ...others]) {
      const matches = matching.includes(path);
      it(`The glob ${JSON.stringify(glob)} ${matches ? 'matches' : "doesn't match"} ${JSON.stringify(path)}`, () => {
        createPathMatcher([glob])(path).should.equal(matches);
      });
    }
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
      shouldBeInvalid(glob, 'open', { char });
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
      shouldBeInvalid(glob, 'alternatives');
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
      shouldBeInvalid(glob, 'range', { range });
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
        shouldBeInvalid(glob, text);
      });
    }
  }

  it('A glob with a set without a backward range is accepted', () => {
    const globs = ['[a-a]', '[a-b-A]', '[z-]', '[-a]', '[!-a]', '[^-a]', '[]-a]', '[--a]', '[\\-a]'];
    (() => createPathMatcher(globs)).should.not.throw();
  });
});
