/** A piece of a search query. */
export interface Token {
  type: 'word' | 'text' | 'sign' | 'end';
  /** A word or sign as it is written; a text without its quotes and escapes. */
  value: string;
}

/** The query is not in the language; the endpoint makes a 400 of it. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

const TOKEN_PATTERN = /\s*(?:([A-Za-z_][A-Za-z0-9_.]*)|'((?:[^'\\]|\\[^])*)'|(<=|>=|!=|[=<>(){}])|$)/y;

/** Splits a query; in texts `\'` stands for a quote and `\\` for a backslash. */
export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  TOKEN_PATTERN.lastIndex = 0;
  while (true) {
    const match = TOKEN_PATTERN.exec(query);
    if (!match) throw new QueryError('unreadable text');
    const [, word, text, sign] = match;
    if (word !== undefined) tokens.push({ type: 'word', value: word });
    else if (text !== undefined) tokens.push({ type: 'text', value: unescapeText(text) });
    else if (sign !== undefined) tokens.push({ type: 'sign', value: sign });
    else return [...tokens, { type: 'end', value: '' }];
  }
}

function unescapeText(text: string): string {
  return text.replace(/\\([^])/g, (whole, character: string) => {
    if (character === "'" || character === '\\') return character;
    throw new QueryError(`unknown escape ${whole}`);
  });
}
