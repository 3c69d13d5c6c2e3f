/** Numbers in Node-RED's language. https://tc39.es/ecma402/#numberformat-objects */
import 'should';
import {
  SIZE_PATTERN,
  localizeDuration,
  localizeNumbers,
  localizeSize,
} from '../../../nodes/shared/runtime/localize-numbers';
import { formatSize } from '../../../src/http/format-size';

describe('localizeNumbers', () => {
  it('localizeNumbers uses the decimal separator of the language', () => {
    localizeNumbers('45 % · 3.2 MB/s', 'de').should.equal('45 % · 3,2 MB/s');
    localizeNumbers('45 % · 3.2 MB/s', 'en').should.equal('45 % · 3.2 MB/s');
    localizeNumbers('12.5 MB · 1203.4 MB/s', 'de').should.equal('12,5 MB · 1203,4 MB/s');
    localizeNumbers('7 %', 'de').should.equal('7 %');
  });

  it('localizeNumbers uses the byte symbol of the language', () => {
    localizeNumbers('45 % · 3.2 MB/s', 'fr').should.equal('45 % · 3,2 Mo/s');
    localizeNumbers('1.6 MiB', 'fr').should.equal('1,6 Mio');
    localizeNumbers('1.6 GiB', 'fr').should.equal('1,6 Gio');
    localizeNumbers('12 B', 'fr').should.equal('12 o');
    localizeNumbers('1.6 KiB', 'ja').should.equal('1.6 KiB');
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

  it('SIZE_PATTERN matches formatted sizes and nothing else', () => {
    for (const size of [1_600, 1_600_000, 1_600_000_000, 1.6e12])
      SIZE_PATTERN.test(formatSize(size, 'up')).should.equal(true);
    for (const other of ['backup 1.2', '10.0.0.1', '1.5 MiB of it', '256 MiB'])
      SIZE_PATTERN.test(other).should.equal(false);
  });
});
