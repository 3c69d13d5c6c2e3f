/** Numbers in Node-RED's language. https://tc39.es/ecma402/#numberformat-objects */
import 'should';
import {
  localizeBinarySize,
  localizeDuration,
  localizeMegabytes,
  localizeSize,
} from '../../../nodes/shared/runtime/catalogue';

const MIB = 1_024 ** 2;

describe('localized numbers', () => {
  it('localizeMegabytes has one decimal, with the separator and the byte symbol of the language', () => {
    const sizes = [0, 3_200_000, 1_203_400_000];
    sizes.map((size) => localizeMegabytes(size, 'en')).should.eql(['0.0 MB', '3.2 MB', '1203.4 MB']);
    sizes.map((size) => localizeMegabytes(size, 'de')).should.eql(['0,0 MB', '3,2 MB', '1203,4 MB']);
    localizeMegabytes(3_200_000, 'fr').should.equal('3,2 Mo');
  });

  it('localizeBinarySize uses the separator and the byte symbol of the language', () => {
    const inFrench = (bytes: number): string => localizeBinarySize({ bytes, round: 'up' }, 'fr');
    [12, 1.6 * MIB, 256 * MIB].map(inFrench).should.eql(['12 o', '1,6 Mio', '256 Mio']);
    localizeBinarySize({ bytes: 1.6 * 1_024, round: 'up' }, 'ja').should.equal('1.6 KiB');
  });

  it('localizeSize shows sizes with at most one decimal in the units of the language', () => {
    const sizes = [0, 13, 999, 1_000, 1_550, 3_240_000, 5e9, 2e15, 4e18];
    const english = ['0 B', '13 B', '999 B', '1 kB', '1.6 kB', '3.2 MB', '5 GB', '2 PB', '4000 PB'];
    sizes.map((size) => localizeSize(size, 'en')).should.eql(english);
    localizeSize(1_550, 'de').should.equal('1,6 kB');
    localizeSize(3_240_000, 'fr').should.equal('3,2 Mo');
  });

  it('localizeDuration rounds to seconds, minutes or hours in the language', () => {
    const seconds = [1, 59, 60, 150, 5_399, 5_400, 36_000];
    const english = ['1 sec', '59 sec', '1 min', '3 min', '90 min', '2 hr', '10 hr'];
    seconds.map((each) => localizeDuration(each, 'en')).should.eql(english);
    localizeDuration(7_200, 'de').should.equal('2 Std.');
  });

  // A size above a limit never looks equal to the limit.
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
    it(`localizeBinarySize rounds ${bytes} bytes up to ${up} and down to ${down}`, () => {
      localizeBinarySize({ bytes, round: 'up' }, 'en').should.equal(up);
      localizeBinarySize({ bytes, round: 'down' }, 'en').should.equal(down);
    });
  }
});
