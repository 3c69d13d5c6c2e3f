/** Texts without a catalogue of Node-RED, and texts that a later version may add. */
import type { NodeAPI } from 'node-red';
import should from 'should';
import {
  catalogueLanguage,
  catalogueText,
  localizeBinarySize,
  localizeDuration,
  localizeMegabytes,
  localizeSize,
  pageText,
  warningText,
} from '../../../nodes/shared/runtime/catalogue';
import { toFailure } from '../../../nodes/shared/runtime/error-message';
import { actualSize, DriveError, LocalTime, maximumSize } from '../../../src/errors';

/** Node-RED returns the key of a text that it doesn't have. */
const RED = { _: (key: string) => key } as unknown as NodeAPI;

describe('texts of the catalogue', () => {
  it('a text that no catalogue has is shown by its key', () => {
    should(warningText(RED, 'no_such_warning' as never, {} as never)).equal('no_such_warning');
    should(pageText(RED, 'no_such_text' as never)).equal('no_such_text');
    should(catalogueText(RED, 'errors', 'no_such_error' as never, {})).be.undefined();
  });

  it('the English text is used without a catalogue, and an unknown parameter stays visible', () => {
    catalogueLanguage(RED).should.equal('en-US');
    const known = warningText(RED, 'state_not_read', { file: '/a', reason: 'EACCES' });
    should(known)
      .match(/\/a.*EACCES/)
      .and.not.match(/__/);
    should(warningText(RED, 'state_not_read', { file: '/a' } as never)).match(/\/a.*__reason__/);
  });

  it('a very long value is shortened in the middle, in English and translated texts', () => {
    const [path, short] = [`/start${'😀'.repeat(45_000)}/end`, `/${'a'.repeat(999)}`];
    const german = { _: (key: string) => (key.endsWith(':language') ? 'de' : key) } as unknown as NodeAPI;
    const translated = catalogueText(german, 'errors', 'local_file_missing', { path }) ?? '';
    const english = catalogueText(RED, 'errors', 'local_file_missing', { path }) ?? '';
    for (const text of [translated, english])
      text.should
        .match(/\/start(😀)+…(😀)+\/end/u)
        .and.property('length')
        .be.below(1_300);
    should(catalogueText(german, 'errors', 'local_file_missing', { path: short })).containEql(short);
  });

  it('errors and warnings are in the language of the catalogue that Node-RED uses', () => {
    const german = { _: (key: string) => (key.endsWith(':language') ? 'de' : key) } as unknown as NodeAPI;
    should(warningText(german, 'state_not_read', { file: '/a', reason: '__file__' })).match(
      /kann nicht gelesen werden \(__file__\)/,
    );
  });

  it('an error still has a text if the files of the package are missing, as while it is being updated', () => {
    const replaced = { _: (key: string) => (key.endsWith(':language') ? 'xx' : key) } as unknown as NodeAPI;
    toFailure(replaced, new DriveError('cancelled')).message.should.match(/cancelled/i);
  });

  it('numbers, sizes and times in errors are written as in the language', () => {
    const french = { _: (key: string) => (key.endsWith(':language') ? 'fr' : key) } as unknown as NodeAPI;
    const sizes = { size: actualSize(1.6 * 1_024 ** 2), limit: maximumSize(1_024 ** 2) };
    should(catalogueText(french, 'errors', 'too_large', sizes)).match(/1,6\sMio.*1\sMio/);
    const ages = { name: 'a.tar', age: 26.51, limit: 26 };
    should(catalogueText(french, 'errors', 'outdated', ages)).match(/26,51 h.* 26 h/);
    const params = { localTime: new LocalTime(Date.parse('2035-05-18T10:00:30Z')), serviceTime: '' };
    should(catalogueText(french, 'errors', 'partial_failure_clock_prune', params)).containEql(
      String(params.localTime),
    );
  });

  it('a label that Node-RED translates is used as it is', () => {
    const german = { _: (key: string) => `übersetzt ${key.length}` } as unknown as NodeAPI;
    should(catalogueText(german, 'form', 'name', {})).match(/^übersetzt \d+$/);
  });
});

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
