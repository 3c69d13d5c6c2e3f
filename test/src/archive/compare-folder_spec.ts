/** Comparing an archive with a folder whose disk is unusual. */
import fs, { type Stats, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import 'should';
import { FolderComparison } from '../../../src/archive/compare-folder';
import type { TarEntry } from '../../../src/archive/read-archive';
import { useDisk } from '../../support/disk';

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
    const mode = lstatSync(disk('a')).mode & 0o7777;
    const attributes = { linkName: '', size: 4, mode, mtime: 0, uid: 0, gid: 0 };
    const file: TarEntry = { ...attributes, name: 'a', type: 'file' };
    await comparison.add('a', file, Readable.from([Buffer.from('same')]));
    await comparison.add('b', { ...file, type: 'link', linkName: 'a' }, Readable.from([]));
    (await comparison.finish()).should.eql({ missing: [], extra: [], different: ['b'] });
  });
});
