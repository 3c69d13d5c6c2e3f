/** Paths of entries in an archive. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import should from 'should';
import { CaseCollisions } from '../../../../src/backup/entries/entry-problems';
import { relativePath } from '../../../../src/fs/safe-name';
import { itLong } from '../../../support/run/long';

/** Bytes, without garbage. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('paths of entries', () => {
  it('a path is relative, without empty names and dots', () => {
    for (const isWindows of [false, true]) {
      should(relativePath('./home//a b.txt/', isWindows)).equal('home/a b.txt');
      should(relativePath('./', isWindows)).equal('');
      for (const name of ['/home', 'home/../a', 'a\0b']) should(relativePath(name, isWindows)).be.undefined();
    }
  });

  it('names with a meaning on Windows are refused there only', () => {
    for (const name of ['home/c:evil', 'home\\evil', 'home/con', 'home/dot.']) {
      should(relativePath(name, true)).be.undefined();
      should(relativePath(name, false)).equal(name);
    }
  });

  it('names that differ only in case are found, in any place and order', () => {
    const collides = (...paths: string[]): boolean[] => {
      const collisions = new CaseCollisions();
      return paths.map((each) => collisions.has(each));
    };
    collides('a', 'a', 'a/b', 'a/b/c', 'ab', 'a/b/c', 'a').should.matchEach(false);
    collides('a/b', 'A/c').should.eql([false, true]);
    collides('a/b/c', 'a/B').should.eql([false, true]);
    collides('a/b', 'a/bc/d', 'a/B/d').should.eql([false, false, true]);
    collides('a', 'A/b').should.eql([false, true]);
    // Chosen so that a hash that begins with a known number, as FNV does, is the same in 30 bits.
    collides('abCDEFGHIjkLMnOpqrst', 'abCdeFghIjklmnOPqrst').should.eql([false, true]);
    collides('stra\u00dfe', 'e\u0301', 'STRASSE', '\u00e9').should.eql([false, false, true, true]);
  });

  itLong('200,000 names take less than 12 MiB, and none collides with another', () => {
    const collisions = new CaseCollisions();
    const before = usedMemory();
    for (let number = 0; number < 200_000; number++)
      collisions.has(`home/Folder ${Math.floor(number / 100)}/file ${number}.txt`).should.be.false();
    (usedMemory() - before).should.be.below(12 * 1024 ** 2);
    collisions.has('home/folder 7/x').should.be.true();
    collisions.has('home/Folder 1999/FILE 199999.txt').should.be.true();
    collisions.has('home/Folder 1999/file 199999.txt').should.be.false();
  });
});
