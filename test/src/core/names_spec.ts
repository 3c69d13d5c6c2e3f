/** The number that `rename` adds to a name in use: docs/nodes/upload.md. */
import { numberedName } from '../../../src/core/names';

describe('numberedName', () => {
  for (const [name, number, expected] of [
    ['a.txt', 0, 'a.txt'],
    ['a.txt', 1, 'a (1).txt'],
    ['a.tar.gz', 12, 'a.tar (12).gz'],
    ['none', 2, 'none (2)'],
    ['.hidden', 1, '.hidden (1)'],
    ['dot.', 1, 'dot (1).'],
  ] as const) {
    it(`numberedName turns ${name} with number ${number} into ${expected}`, () =>
      numberedName(name, number).should.equal(expected));
  }
});
