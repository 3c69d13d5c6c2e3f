import should from 'should';
import { decodePath } from '../../../../src/fs/path-bytes';
import { quoteName, unquoteName } from '../../../../src/backup/restic/go-quote';

const bytes = (hex: string): string => decodePath(Buffer.from(hex, 'hex'));

describe('Quoted names', () => {
  const quoted: Record<string, string> = {
    'plain name.txt': 'plain name.txt',
    'größe ☃ 😀': 'größe ☃ 😀',
    'a"b\\c': 'a\\"b\\\\c',
    '\x07\b\f\n\r\t\v': '\\a\\b\\f\\n\\r\\t\\v',
    '\x01\x7f': '\\x01\\x7f',
    '\u00a0\u2028\u200b': '\\u00a0\\u2028\\u200b',
    '\u{e0001}': '\\U000e0001',
    "it's": "it's",
    '\ufffd': '\ufffd',
    [bytes('e9')]: '\\xe9',
    [bytes('61e9c3a9')]: 'a\\xe9é',
    [bytes('eda080')]: '\\xed\\xa0\\x80',
  };
  for (const [name, expected] of Object.entries(quoted)) {
    it(`are written as ${expected} and read again`, () => {
      quoteName(name).should.equal(expected);
      should(unquoteName(expected)).equal(name);
    });
  }

  it('are read in all forms that Go accepts', () => {
    should(unquoteName('\\101\\x41\\u0041\\U00000041')).equal('AAAA');
    should(unquoteName('\\xc3\\xa9')).equal('é');
    should(unquoteName('\\xE9')).equal(bytes('e9'));
  });

  it('are refused where Go refuses them', () => {
    const wrong = [
      '"',
      'a\nb',
      '\\',
      '\\q',
      '\\x4',
      '\\400',
      '\\ud800',
      '\\U00110000',
      "\\'",
      '\\A',
      '\\X41',
    ];
    for (const each of wrong) should(unquoteName(each)).be.undefined();
  });

  it('contain no half of a surrogate pair, which would mean a byte', () => {
    should(unquoteName('\udce9')).equal('\ufffd');
  });
});
