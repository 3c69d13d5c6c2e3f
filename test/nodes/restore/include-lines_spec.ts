/** The patterns of `include` that the dialog makes of ticked paths. */
import should from 'should';
import { fromIncludeLine, toIncludeLine } from '../../../nodes/restore/entry-tree';
import { pathPatternsProblem } from '../../../nodes/shared/editor/input-checks';
import { createPathMatcher } from '../../../src/core/globs/path-globs';

const PATHS = [
  ...['home', 'home/docs', 'a.txt', 'a*b', '*', '?', '[x]', ']', '{a,b}', 'a{', 'a\\b', '!x', '^'],
  ...[' start', 'end ', 'home/ ', 'ü/é', 'a,b', '-', '[', '[!a]', 'home/[1] {2} *', '日本語/メモ.txt'],
  ...['\ufffd', 'a\ufffd/\ufffdb'],
];

describe('patterns of ticked paths', () => {
  for (const path of PATHS) {
    it(`the pattern of “${path}” is valid, and matches it and what it contains, and nothing else`, () => {
      const line = toIncludeLine(path);
      should(pathPatternsProblem(line)).be.undefined();
      const isMatch = createPathMatcher([line]);
      isMatch(path).should.be.true();
      isMatch(`${path}/inside`).should.be.true();
      for (const other of [`x/${path}`, `${path}x`, `x${path}`, 'other'])
        isMatch(other).should.equal(false, other);
      should(fromIncludeLine(line)).equal(path);
    });
  }

  it('a byte that isn’t UTF-8 is matched by the character that users see for it, and no other', () => {
    const isMatch = createPathMatcher([toIncludeLine('caf\ufffd')]);
    isMatch('caf\udce9').should.be.true();
    for (const other of ['café', 'caf\udce9\udce9', 'caf']) isMatch(other).should.be.false();
  });

  it('a line break matches as any character', () => {
    createPathMatcher([toIncludeLine('a\nb/c')])('a\nb/c').should.be.true();
    toIncludeLine('a\nb').should.equal('/a?b');
  });

  for (const pattern of ['*.jpg', 'home/*', 'notes.txt', '', '[ab]/c', 'a?b/c']) {
    it(`the pattern “${pattern}” isn’t taken for a ticked path`, () =>
      should(fromIncludeLine(pattern)).be.undefined());
  }
});
