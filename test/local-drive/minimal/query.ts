/** The three search terms of the specification. */
export interface StrictQuery {
  parents: string[];
  mimeTypes: string[];
  names: string[];
}

const TERM = /(?:'((?:[^'\\]|\\['\\])*)' in parents|(mimeType=|name contains )'((?:[^'\\]|\\['\\])*)')/y;

/** Parses `q`: terms joined by ` and `. @returns undefined for anything outside the specification */
export function parseStrictQuery(text: string): StrictQuery | undefined {
  const query: StrictQuery = { parents: [], mimeTypes: [], names: [] };
  let position = 0;
  for (;;) {
    TERM.lastIndex = position;
    const match = TERM.exec(text);
    if (!match) return undefined;
    const [whole, parent, term, value = ''] = match;
    if (parent !== undefined) query.parents.push(unescape(parent));
    else (term === 'mimeType=' ? query.mimeTypes : query.names).push(unescape(value));
    position += whole.length;
    if (position === text.length) return query;
    if (!text.startsWith(' and ', position)) return undefined;
    position += ' and '.length;
  }
}

function unescape(text: string): string {
  return text.replace(/\\(['\\])/g, '$1');
}
