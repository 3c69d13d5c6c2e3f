/** Whatever stands in a name or an id, the service reads the same: against the local drive's own parser. */
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
} from '../../../src/api/query';
import { withQuery } from '../../../src/http/url';
import { parseQuery } from '../../local-drive/search/parser';
import { checkProperty } from '../../support/property';

/** Any text, and ones made of what quoting is about. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom("'", '\\', '"', ' ', '\n', ' and ', '(', ')', '=', 'x') }),
);

describe('queries, whatever is in them', () => {
  it('hold exactly the value they were given', () =>
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

  it('keep their terms apart when they are joined', () =>
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

  it('arrive as they were, by way of an address', () =>
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
