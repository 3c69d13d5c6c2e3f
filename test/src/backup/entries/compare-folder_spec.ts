/** Comparing an archive with a folder whose disk is unusual. */
import fs, { type Stats, mkdirSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import should from 'should';
import { FolderComparison } from '../../../../src/backup/entries/compare-folder';
import { useDisk } from '../../../support/disk';
import type { StoredEntry } from '../../../../src/backup/entries/entry';

const ATTRIBUTES = {
  name: 'a',
  type: 'file',
  linkName: '',
  size: 4,
  mode: 0,
  mtime: 0,
  uid: 0,
  gid: 0,
} as const;

describe('FolderComparison', () => {
  const disk = useDisk();
  const { lstatSync } = fs;

  afterEach(() => void Object.assign(fs, { lstatSync }));

  it('notices another file in place of a hard link also if the inodes of both are the same number when rounded', async () => {
    writeFileSync(disk('a'), 'same');
    writeFileSync(disk('b'), 'diff');
    const rounded = (path: string): Stats => Object.assign(lstatSync(path), { ino: 2 ** 60 });
    Object.assign(fs, { lstatSync: rounded });
    const comparison = new FolderComparison(disk(), () => true);
    const file: StoredEntry = { ...ATTRIBUTES, mode: lstatSync(disk('a')).mode & 0o7777 };
    await comparison.add('a', file, Readable.from([Buffer.from('same')]));
    await comparison.add('b', { ...file, type: 'link', linkName: 'a' }, Readable.from([]));
    (await comparison.finish()).should.eql({ missing: [], extra: [], different: ['b'] });
  });

  it('remembers only what is on disk, and lists a limited length of paths that aren’t, however deep they are', async () => {
    mkdirSync(disk('a/b/empty'), { recursive: true });
    writeFileSync(disk('a/file'), '');
    writeFileSync(disk('a/b/more'), '');
    const comparison = new FolderComparison(disk(), () => true);
    const add = (path: string): Promise<void> => comparison.add(path, ATTRIBUTES, Readable.from([]));
    await add('x');
    const deep = ['a/b/none/c', 'a/file/below', `a/${'d/'.repeat(8_000)}e`, 'n'.repeat(5_000)];
    for (const path of deep) await add(path);
    const { missing: none, extra, different } = await comparison.finish();
    // Not compared as a whole: a failure would print kilobytes.
    none.map((path) => path.length).should.eql(['x', ...deep].map((path) => path.length));
    extra.sort().should.eql(['a/b/empty', 'a/b/more']);
    different.should.eql([]);
    for (let index = 0; index < 1_100; index++) await add(`${'n'.repeat(16_000)}${index}`);
    const { missing, truncated } = await comparison.finish();
    should(truncated).be.true();
    missing.length.should.be.within(1_000, 1_060);
  });
});
