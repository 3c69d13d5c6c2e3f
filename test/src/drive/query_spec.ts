/** Terms of the search query `q` and their escaping: https://developers.google.com/workspace/drive/api/guides/search-files */
import fc from 'fast-check';
import 'should';
import {
  allOf,
  anyOf,
  inParents,
  mimeTypeEquals,
  mimeTypeNotEquals,
  nameContains,
  nameEquals,
  notTrashed,
  quote,
} from '../../../src/drive/query';
import { withQuery } from '../../../src/http/url';
import { parseQuery } from '../../local-drive/search/parser';
import { checkProperty } from '../../support/property';

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

/** Any text, and text of characters that are special in queries. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom("'", '\\', '"', ' ', '\n', ' and ', '(', ')', '=', 'x') }),
);

describe('search terms with any value, read by the local drive’s parser', () => {
  it('search terms contain any value unchanged', () =>
    checkProperty(
      fc.property(text, (value) => {
        parseQuery(nameEquals(value)).should.deepEqual({ type: 'text', field: 'name', operator: '=', value });
        parseQuery(nameContains(value)).should.deepEqual({
          type: 'text',
          field: 'name',
          operator: 'contains',
          value,
        });
        parseQuery(inParents(value)).should.deepEqual({ type: 'in', collection: 'parents', value });
        parseQuery(mimeTypeEquals(value)).should.have.properties({ field: 'mimeType', operator: '=', value });
        parseQuery(mimeTypeNotEquals(value)).should.have.properties({ operator: '!=', value });
      }),
    ));

  it('joined search terms stay separate with any values', () =>
    checkProperty(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (parent, names) => {
        const found: unknown[] = [];
        const collect = (query: ReturnType<typeof parseQuery>): void => {
          if (query.type === 'and' || query.type === 'or') [query.left, query.right].forEach(collect);
          else if ('value' in query) found.push(query.value);
        };
        const query = parseQuery(allOf([inParents(parent), anyOf(names.map(nameEquals)), notTrashed]));
        collect(query);
        found.should.deepEqual([parent, ...names, false]);
        query.should.have.property('type', 'and');
      }),
    ));

  it('a search query is unchanged after encoding it in a URL', () =>
    checkProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const url = new URL(
          withQuery('https://x.example/files', { q: nameEquals(value), fields: 'files(id)' }),
        );
        url.searchParams.get('q')!.should.equal(nameEquals(value));
        url.search.should.not.match(/%20| /);
      }),
    ));
});
