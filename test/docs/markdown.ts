/** Parses the documentation: https://marked.js.org/using_pro#lexer */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { MarkedToken, Token } from 'marked' with { 'resolution-mode': 'import' };
import { ROOT } from '../support/node-red/built-package';

export interface Document {
  /** Path from the root of the project, with slashes. */
  file: string;
  text: string;
  headings: string[];
  /** Targets of links and images. */
  links: string[];
  /** Targets of images. */
  pictures: string[];
  /** Anchors: those of headings, and explicit ones such as `<a id="branding"></a>`. */
  anchors: string[];
  code: { language: string; text: string }[];
  /** Text in backticks in sentences and tables. */
  inlineCode: string[];
  /** Text in italics, which are labels of dialogs. */
  emphasized: string[];
  /** Cells as Markdown. */
  tables: { head: string[]; rows: string[][] }[];
}

const FOLDERS = ['.', 'docs', 'docs/nodes', 'bench', 'test/local-drive'];

/** Parsed documents, shared by the specs. */
const parsed = new Map<string, Document>();

/** All documents of the project. */
export async function documents(): Promise<Document[]> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name)),
  );
  return Promise.all(files.map(readDocument));
}

/** @param file path from the root of the project */
export async function readDocument(file: string): Promise<Document> {
  const found = parsed.get(file) ?? parse(file, readFileSync(path.join(ROOT, file), 'utf8'), await marked());
  parsed.set(file, found);
  return found;
}

/** Imported dynamically because it is an ES module. */
const marked = () => import('marked');

function parse(file: string, text: string, library: Awaited<ReturnType<typeof marked>>): Document {
  const found: Document = {
    ...{ file, text, headings: [], links: [], pictures: [], code: [], inlineCode: [], emphasized: [] },
    ...{ anchors: [], tables: [] },
  };
  void library.walkTokens(library.lexer(text), (token) => addToken(token as MarkedToken, found));
  found.anchors = anchorsOf(found.headings);
  for (const [, id] of text.matchAll(/<a id="([^"]+)"><\/a>/g)) found.anchors.push(id!);
  return found;
}

function addToken(token: MarkedToken, found: Document): void {
  if (token.type === 'heading') found.headings.push(plain(token.tokens));
  if (token.type === 'link' || token.type === 'image') found.links.push(token.href);
  if (token.type === 'image') found.pictures.push(token.href);
  if (token.type === 'code') found.code.push({ language: token.lang ?? '', text: token.text });
  if (token.type === 'codespan') found.inlineCode.push(token.text);
  if (token.type === 'em') found.emphasized.push(plain(token.tokens));
  if (token.type === 'table') {
    const written = (cells: { text: string }[]): string[] => cells.map(({ text }) => text.trim());
    found.tables.push({ head: written(token.header), rows: token.rows.map(written) });
  }
}

function plain(tokens: Token[]): string {
  return (tokens as MarkedToken[])
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('');
}

/** Anchors of headings; GitHub numbers those that occur several times. */
function anchorsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const name = anchor(heading);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}

/** The anchor that GitHub gives a heading. https://docs.github.com/get-started/writing-on-github */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
