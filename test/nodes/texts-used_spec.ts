/**
 * That what people read and what the code asks for is the same: no text of a catalogue that nothing asks for, and none
 * that stands in the code itself, where it would be in one language only.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import ts from 'typescript';

const root = path.join(__dirname, '../../nodes');
const nodes = readdirSync(root).filter((name) => name !== 'shared');

function filesIn(folder: string, end: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(file, end);
    return entry.name.endsWith(end) && !entry.name.endsWith('.d.ts') ? [file] : [];
  });
}

const sources = filesIn(root, '.ts').map((file) =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true),
);

function each(source: ts.Node, visit: (node: ts.Node) => void): void {
  visit(source);
  ts.forEachChild(source, (child) => each(child, visit));
}

describe('the texts of a catalogue', () => {
  const words = new Set<string>();
  const composed = new Set<string>();
  for (const source of sources) {
    each(source, (node) => {
      if (ts.isStringLiteralLike(node)) words.add(node.text);
      else if (ts.isIdentifier(node)) words.add(node.text);
      else if (ts.isTemplateExpression(node)) composed.add(patternOf(node));
    });
  }
  const rows = filesIn(path.join(root, 'shared/editor/rows'), '.html');

  /** Whether it stands in the code, whole or put together from a word that does. */
  function asked(key: string): boolean {
    if (words.has(key)) return true;
    return [...composed].some((pattern) => {
      const [, varying] = new RegExp(pattern).exec(key) ?? [];
      return varying !== undefined && words.has(varying);
    });
  }

  for (const node of nodes) {
    it(`of ${node} are all used`, () => {
      const folder = path.join(root, node);
      const text = readFileSync(path.join(folder, `locales/en-US/${node}.json`), 'utf8');
      const forms = [...filesIn(folder, '.form.html'), ...rows].map((file) => readFileSync(file, 'utf8'));
      const shown = forms.flatMap((form) => [
        ...form.matchAll(/data-i18n="(?:\[\w+\])?(?:[\w/-]+:)?([\w.]+)"/g),
      ]);
      const inForms = new Set(shown.map(([, key]) => key));
      keysOf(JSON.parse(text) as object)
        .filter((key) => !inForms.has(key) && !asked(key) && !BY_NODE_RED.test(key))
        .should.eql([]);
    });
  }
});

/** The palette's category; and the sentences of errors, which catalogue_spec holds to their codes. */
const BY_NODE_RED = /^palette\.label\.cloud_drive$|^errors\./;

function keysOf(catalogue: object, before = ''): string[] {
  return Object.entries(catalogue).flatMap(([key, text]: [string, string | object]) =>
    typeof text === 'string' ? [before + key] : keysOf(text, `${before}${key}.`),
  );
}

/** `browse.open_${what}` takes what is put in as a group; what comes before a colon is the name of a catalogue. */
function patternOf(template: ts.TemplateExpression): string {
  const tails = template.templateSpans.map((span) => span.literal.text);
  const text = [template.head.text, ...tails].join('\0').replace(/^.*:/, '');
  return `^${text.replace(/[^\w\0]/g, '\\$&').replaceAll('\0', '(\\w+)')}$`;
}

describe('the code of the nodes', () => {
  /** Blanks, but nothing that anybody reads: lists of events and attributes, CSS, what a log or a file begins with. */
  const NO_TEXT = [
    /^cloud drive$|^\[cloud drive\]$|^cloud-drive state$|^unknown version$|^not a regular file$/,
    /^(?:change|dragleave|aria-invalid|input,) [a-z-]+$/,
    /^(?:fa|red-ui-button) /,
    /^:root \{|^text\/html; |^ol, li$/,
  ];
  /** What shows a text in the editor: even a single word in it would be read. */
  const SHOWS = /^(?:text|html|append|prepend|title|notify|alert|placeholder|label|aria-label)$/;

  for (const source of sources) {
    const file = path.relative(root, source.fileName);
    it(`${file} holds no text that a person reads`, () => {
      const found: string[] = [];
      each(source, (node) => {
        if (isText(node) && isRead(node)) found.push(node.text);
      });
      found.should.eql([]);
    });
  }

  type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;
  const isText = (node: ts.Node): node is Text =>
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node);

  function isRead(node: Text): boolean {
    if (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent)) return false;
    const text = node.text.replace(/<[^>]*>?/g, '').trim();
    if (NO_TEXT.some((no) => no.test(text))) return false;
    return /[A-Za-z]{2,}[,.:;]? [A-Za-z]{2,}/.test(text) || (/[A-Za-z]{2,}/.test(text) && isShown(node));
  }

  function isShown(node: ts.Node): boolean {
    const { parent } = node;
    if (!path.relative(root, parent.getSourceFile().fileName).includes('editor')) return false;
    if (ts.isPropertyAssignment(parent))
      return parent.initializer === node && SHOWS.test(nameOf(parent.name));
    if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
    const { name } = parent.expression;
    const [first] = parent.arguments;
    return SHOWS.test(name.text === 'attr' && first && first !== node ? nameOf(first) : name.text);
  }

  const nameOf = (node: ts.Node): string =>
    ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : '';
});
