/** Sizes in error messages: a size above a limit never looks equal to the limit. */
import 'should';
import { formatSize } from '../../../src/http/format-size';

const MIB = 1_024 ** 2;

describe('formatSize', () => {
  for (const [bytes, up, down] of [
    [0, '0 B', '0 B'],
    [0.1, '1 B', '0 B'],
    [1_023, '1023 B', '1023 B'],
    [1_024, '1 KiB', '1 KiB'],
    [104_857.6, '102.4 KiB', '102.4 KiB'],
    [104_858, '102.5 KiB', '102.4 KiB'],
    [MIB, '1 MiB', '1 MiB'],
    [256 * MIB + 1, '256.1 MiB', '256 MiB'],
    [1.1 * MIB, '1.1 MiB', '1.1 MiB'],
    [MIB - 1, '1 MiB', '1023.9 KiB'],
    [1_023.5, '1 KiB', '1023 B'],
    [1_024 * MIB, '1 GiB', '1 GiB'],
    [1_024 * MIB - 1, '1 GiB', '1023.9 MiB'],
    [1_024 * MIB + 1, '1.1 GiB', '1 GiB'],
    [5_000 * MIB, '4.9 GiB', '4.8 GiB'],
    [1_024 ** 4, '1 TiB', '1 TiB'],
    [5_000 * 1_024 ** 4, '5000 TiB', '5000 TiB'],
  ] as const) {
    it(`formatSize rounds ${bytes} bytes up to ${up} and down to ${down}`, () => {
      formatSize(bytes, 'up').should.equal(up);
      formatSize(bytes, 'down').should.equal(down);
    });
  }
});
