/** The entries of a backup as a tree, and ticks in it. */
import should from 'should';
import { collectEntries } from '../../../nodes/restore/browse';
import { EntryTree, fromIncludeLine, Ticks, toIncludeLine } from '../../../nodes/restore/entry-tree';
import type { BackupEntry } from '../../../nodes/shared/contract/dialog-api';
import { pathPatternsProblem } from '../../../nodes/shared/editor/input-checks';
import { createPathMatcher } from '../../../src/core/globs/path-globs';

const ENTRIES: BackupEntry[] = [
  ['docs/b10.txt', false, 10, 0],
  ['docs/b9.txt', false, 9, 0],
  ['docs/deep/x', false, 1, 0],
  ['docs', true, 0, 5],
  ['top.txt', false, 3, 0],
  ['top.txt', false, 4, 0],
];

describe('tree of the entries of a backup', () => {
  const tree = new EntryTree(ENTRIES);
  const names = (folder: string) => tree.children(folder).map(({ name, size }) => `${name} ${size}`);

  it('folders come first, names are in natural order, and the last entry with a path counts', () => {
    names('').should.eql(['docs 0', 'top.txt 4']);
    names('docs').should.eql(['deep 0', 'b9.txt 9', 'b10.txt 10']);
    names('docs/deep').should.eql(['x 1']);
    names('docs/b9.txt').should.eql([]);
  });

  it('a ticked folder stands for what it contains, also what was ticked in it before', () => {
    const ticks = new Ticks(tree, ['docs/deep/x', 'missing']);
    [ticks.state('docs'), ticks.state('docs/deep'), ticks.state('top.txt')].should.eql([
      'mixed',
      'mixed',
      'false',
    ]);
    ticks.toggle('docs');
    ticks.paths.should.eql(['docs']);
    ticks.state('docs/deep/x').should.equal('true');
  });

  it('unticking something in a ticked folder leaves everything else ticked', () => {
    const ticks = new Ticks(tree, ['docs']);
    ticks.toggle('docs/deep/x');
    ticks.paths.should.eql(['docs/b10.txt', 'docs/b9.txt']);
    ticks.state('docs').should.equal('mixed');
    ticks.toggle('docs/b9.txt');
    ticks.paths.should.eql(['docs/b10.txt']);
  });

  const LONG: [string, string, number][] = [
    ['very long', 'n'.repeat(16_000), 2_097],
    ['very deep', 'd/'.repeat(8_000), 124],
  ];
  for (const [title, path, expected] of LONG)
    it(`the dialog shows fewer entries whose paths are ${title}, and ends the list then`, async () => {
      const entry = {
        path,
        type: 'file',
        size: 0,
        modifiedTime: '2026-11-28T00:00:00Z',
        mode: 0o644,
      } as const;
      let batches = 0;
      const { entries, more } = await collectEntries({}, async (onEntries, _clear, signal) => {
        for (; !signal.aborted; batches++) await onEntries(Array(100).fill(entry) as (typeof entry)[]);
      });
      more.should.be.true();
      entries.length.should.equal(expected);
      batches.should.equal(Math.ceil(expected / 100));
    });

  it('100,000 entries in one folder are unticked and ticked in linear time', () => {
    const many = Array.from({ length: 100_000 }, (_, index): BackupEntry => [`d/${index}`, false, 0, 0]);
    const ticks = new Ticks(new EntryTree(many), ['d']);
    ticks.toggle('d/5');
    ticks.paths.length.should.equal(99_999);
    ticks.state('d/6').should.equal('true');
  });
});

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
