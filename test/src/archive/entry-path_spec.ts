/** Paths of entries in an archive. */
import should from 'should';
import { relativePath } from '../../../src/archive/entry-path';

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
});
