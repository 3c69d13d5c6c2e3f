/** A token of a search query. */
export interface Token {
  type: 'word' | 'text' | 'symbol' | 'end';
  /** A word or symbol as written; a string without quotes and escapes. */
  value: string;
}

/** A syntax error, which becomes a 400 response. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

const TOKEN_PATTERN = /\s*(?:([A-Za-z_][A-Za-z0-9_.]*)|'((?:[^'\\]|\\[^])*)'|(<=|>=|!=|[=<>(){}])|$)/y;

/** Splits a query into tokens. In strings, `\'` is a quote and `\\` a backslash. */
export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  TOKEN_PATTERN.lastIndex = 0;
  while (true) {
    const match = TOKEN_PATTERN.exec(query);
    if (!match) throw new QueryError('unexpected character');
    const [, word, text, symbol] = match;
    if (word !== undefined) tokens.push({ type: 'word', value: word });
    else if (text !== undefined) tokens.push({ type: 'text', value: unescapeText(text) });
    else if (symbol !== undefined) tokens.push({ type: 'symbol', value: symbol });
    else return [...tokens, { type: 'end', value: '' }];
  }
}

function unescapeText(text: string): string {
  return text.replace(/\\([^])/g, (whole, character: string) => {
    if (character === "'" || character === '\\') return character;
    throw new QueryError(`unknown escape ${whole}`);
  });
}
