import { parseTimestamp } from '../api/timestamp';
import { QueryError, tokenize, type Token } from './tokenizer';

/** A parsed search query. */
export type Query =
  | { type: 'and' | 'or'; left: Query; right: Query }
  | { type: 'not'; inner: Query }
  | { type: 'text'; field: 'name' | 'mimeType'; operator: 'contains' | '=' | '!='; value: string }
  | { type: 'time'; field: 'createdTime' | 'modifiedTime'; operator: TimeOperator; value: number }
  | { type: 'flag'; field: 'trashed' | 'starred' | 'sharedWithMe'; value: boolean }
  | { type: 'in'; collection: 'parents' | 'owners' | 'writers' | 'readers'; value: string }
  | { type: 'has'; map: 'properties' | 'appProperties'; key: string; value: string };

export type TimeOperator = '<' | '<=' | '=' | '!=' | '>' | '>=';

const TEXT_FIELDS = ['name', 'mimeType'] as const;
const TIME_FIELDS = ['createdTime', 'modifiedTime'] as const;
const FLAGS = ['trashed', 'starred', 'sharedWithMe'] as const;
const COLLECTIONS = ['parents', 'owners', 'writers', 'readers'] as const;
const MAPS = ['properties', 'appProperties'] as const;
const TEXT_OPERATORS = ['contains', '=', '!='] as const;
const TIME_OPERATORS = ['<', '<=', '=', '!=', '>', '>='] as const;

/**
 * Parses `q`. https://developers.google.com/workspace/drive/api/guides/ref-search-terms
 * `and` and `or` have the same precedence and are left-associative; `not` has a higher one.
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(tokenize(text));
  return parser.parse();
}

class Parser {
  private position = 0;

  constructor(private readonly tokens: Token[]) {}

  parse(): Query {
    const query = this.expression();
    if (this.token.type !== 'end') throw new QueryError(`unexpected ${this.token.value}`);
    return query;
  }

  private expression(): Query {
    let left = this.operand();
    for (;;) {
      const type = this.takeWord('and', 'or');
      if (type === undefined) return left;
      left = { type, left, right: this.operand() };
    }
  }

  private operand(): Query {
    if (this.takeWord('not')) return { type: 'not', inner: this.operand() };
    if (this.takeSymbol('(')) {
      const inner = this.expression();
      this.expectSymbol(')');
      return inner;
    }
    return this.token.type === 'text' ? this.membership() : this.comparison();
  }

  /** `'id' in parents` */
  private membership(): Query {
    const value = this.expectText();
    if (!this.takeWord('in')) throw new QueryError('expected in');
    return { type: 'in', collection: this.expectWord(COLLECTIONS), value };
  }

  private comparison(): Query {
    const text = this.takeWord(...TEXT_FIELDS);
    if (text) {
      return { type: 'text', field: text, operator: this.operator(TEXT_OPERATORS), value: this.expectText() };
    }
    const time = this.takeWord(...TIME_FIELDS);
    if (time) {
      return { type: 'time', field: time, operator: this.operator(TIME_OPERATORS), value: this.timestamp() };
    }
    const flag = this.takeWord(...FLAGS);
    if (flag) return this.flag(flag);
    return this.property(this.expectWord(MAPS));
  }

  private flag(field: (typeof FLAGS)[number]): Query {
    const equal = this.operator(['=', '!='] as const) === '=';
    const value = this.expectWord(['true', 'false'] as const) === 'true';
    return { type: 'flag', field, value: value === equal };
  }

  /** `properties has { key='a' and value='b' }` */
  private property(map: (typeof MAPS)[number]): Query {
    this.expectWord(['has'] as const);
    this.expectSymbol('{');
    const key = this.part('key');
    this.expectWord(['and'] as const);
    const value = this.part('value');
    this.expectSymbol('}');
    return { type: 'has', map, key, value };
  }

  private part(name: 'key' | 'value'): string {
    this.expectWord([name] as const);
    this.expectSymbol('=');
    return this.expectText();
  }

  private timestamp(): number {
    const text = this.expectText();
    const value = parseTimestamp(text);
    if (value === undefined) throw new QueryError(`${text} is not a time`);
    return value;
  }

  private operator<T extends string>(operators: readonly T[]): T {
    return this.expect(operators, (token) => token.type !== 'text');
  }

  private expectWord<T extends string>(words: readonly T[]): T {
    return this.expect(words, (token) => token.type === 'word');
  }

  private expectSymbol(symbol: string): void {
    this.expect([symbol], (token) => token.type === 'symbol');
  }

  private expectText(): string {
    const { type, value } = this.token;
    if (type !== 'text') throw new QueryError('expected a string');
    this.position += 1;
    return value;
  }

  private expect<T extends string>(values: readonly T[], accepts: (token: Token) => boolean): T {
    const { token } = this;
    const found = accepts(token) ? values.find((each) => each === token.value) : undefined;
    if (found === undefined) throw new QueryError(`unexpected ${token.value}`);
    this.position += 1;
    return found;
  }

  private takeWord<T extends string>(...words: T[]): T | undefined {
    const { type, value } = this.token;
    const found = type === 'word' ? words.find((each) => each === value) : undefined;
    if (found !== undefined) this.position += 1;
    return found;
  }

  private takeSymbol(symbol: string): boolean {
    if (this.token.type !== 'symbol' || this.token.value !== symbol) return false;
    this.position += 1;
    return true;
  }

  private get token(): Token {
    return this.tokens[this.position] ?? { type: 'end', value: '' };
  }
}
