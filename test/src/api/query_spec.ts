/** Terms of the search query `q` and their escaping: https://developers.google.com/workspace/drive/api/guides/search-files */
import {
  allOf,
  anyOf,
  inParents,
  mimeTypeEquals,
  mimeTypeNotEquals,
  nameContains,
  nameEquals,
  quote,
} from '../../../src/api/query';

describe('search terms', () => {
  it('quote escapes backslashes and single quotes', () => {
    quote('plain').should.equal("'plain'");
    quote("it's").should.equal("'it\\'s'");
    quote('a\\b').should.equal("'a\\\\b'");
    quote("\\'").should.equal("'\\\\\\''");
    quote('').should.equal("''");
  });

  it('search terms use the syntax of the Drive API', () => {
    inParents("f'").should.equal("'f\\'' in parents");
    nameContains('42').should.equal("name contains '42'");
    nameEquals('x').should.equal("name='x'");
    mimeTypeEquals('a/b').should.equal("mimeType='a/b'");
    mimeTypeNotEquals('a/b').should.equal("mimeType!='a/b'");
  });

  it('allOf and anyOf join search terms with parentheses around alternatives', () => {
    allOf([]).should.equal('');
    allOf(['a', 'b']).should.equal('a and b');
    anyOf(['a']).should.equal('a');
    anyOf(['a', 'b']).should.equal('(a or b)');
  });
});
