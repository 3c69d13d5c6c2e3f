/** The query language of `q`. https://developers.google.com/workspace/drive/api/guides/ref-search-terms */
import fc from 'fast-check';
import 'should';
import { parseQuery } from '../search/parser';
import { QueryError } from '../search/tokenizer';

describe('local drive: the query parser', () => {
  it('the query parser parses every kind of term', () => {
    parseQuery("name contains 'a'").should.deepEqual({
      type: 'text',
      field: 'name',
      operator: 'contains',
      value: 'a',
    });
    parseQuery("'x' in parents").should.deepEqual({ type: 'in', collection: 'parents', value: 'x' });
    parseQuery('trashed != true').should.deepEqual({ type: 'flag', field: 'trashed', value: false });
    parseQuery("properties has { key='a' and value='b' }").should.deepEqual({
      type: 'has',
      map: 'properties',
      key: 'a',
      value: 'b',
    });
    parseQuery("modifiedTime >= '2024-01-02T03:04:05'").should.deepEqual({
      type: 'time',
      field: 'modifiedTime',
      operator: '>=',
      value: Date.UTC(2024, 0, 2, 3, 4, 5),
    });
  });

  it('and and or are left-associative, not has a higher precedence', () => {
    const shape = (text: string): string => {
      const show = (query: ReturnType<typeof parseQuery>): string => {
        if (query.type === 'and' || query.type === 'or') {
          return `(${show(query.left)} ${query.type} ${show(query.right)})`;
        }
        return query.type === 'not' ? `!${show(query.inner)}` : (query as { value: string }).value;
      };
      return show(parseQuery(text));
    };
    shape("name='a' or name='b' and name='c'").should.equal('((a or b) and c)');
    shape("name='a' or (name='b' and name='c')").should.equal('(a or (b and c))');
    shape("not name='a' and name='b'").should.equal('(!a and b)');
    shape("not (name='a' and name='b')").should.equal('!(a and b)');
  });

  it('spaces around symbols are optional', () => {
    parseQuery("name='a'").should.deepEqual(parseQuery("  name   =\n'a' "));
  });

  it('escaped strings are unescaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
        parseQuery(`name = '${escaped}'`).should.have.property('value', text);
      }),
    );
  });

  for (const wrong of [
    "fullText contains 'a'",
    "title contains 'a'",
    "name like 'a'",
    "name > 'a'",
    "mimeType in 'a'",
    "'a' in folders",
    "trashed = 'true'",
    'trashed',
    "name = 'a",
    "name = 'a\\n'",
    "name = a'",
    "name = 'a' and",
    "name = 'a' name = 'b'",
    "(name = 'a'",
    "name = 'a')",
    "modifiedTime > 'yesterday'",
    "properties has { key='a' }",
    "name = 'a' & name = 'b'",
    'AND',
  ]) {
    it(`the query parser rejects ${wrong}`, () => {
      (() => parseQuery(wrong)).should.throw(QueryError);
    });
  }

  it('the query parser throws only QueryError', () => {
    const piece = fc.constantFrom(
      'name',
      "'a'",
      '=',
      'and',
      'not',
      '(',
      ')',
      'has',
      '{',
      '}',
      '\\',
      ' ',
      'in',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          parseQuery(pieces.join(' '));
        } catch (error) {
          (error as Error).should.be.instanceOf(QueryError);
        }
      }),
    );
  });
});
