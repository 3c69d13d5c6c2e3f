/** Numbers in Node-RED's language. https://tc39.es/ecma402/#numberformat-objects */
import 'should';
import { SIZE_PATTERN, localizeNumbers } from '../../../nodes/shared/runtime/localize-numbers';
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
    localizeNumbers('12 B', 'fr').should.equal('12 o');
    localizeNumbers('1.6 KiB', 'ja').should.equal('1.6 KiB');
  });

  it('SIZE_PATTERN matches formatted sizes and nothing else', () => {
    SIZE_PATTERN.test(formatSize(1_600_000, 'up')).should.equal(true);
    for (const other of ['backup 1.2', '10.0.0.1', '1.5 MiB of it', '256 MiB'])
      SIZE_PATTERN.test(other).should.equal(false);
  });
});
