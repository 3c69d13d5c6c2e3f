/**
 * Every text of a catalogue is used, and the code contains no texts for users, which would be in one language only.
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

describe('catalogues', () => {
  const words = new Set<string>();
  const templates = new Set<string>();
  for (const source of sources) {
    each(source, (node) => {
      if (ts.isStringLiteralLike(node)) words.add(node.text);
      else if (ts.isIdentifier(node)) words.add(node.text);
      else if (ts.isTemplateExpression(node)) templates.add(patternOf(node));
    });
  }
  const rows = filesIn(path.join(root, 'shared/editor/rows'), '.html');

  /** Whether the code contains the key, or a template and a word that produce it. */
  function isUsed(key: string): boolean {
    if (words.has(key)) return true;
    return [...templates].some((pattern) => {
      const [, variable] = new RegExp(pattern).exec(key) ?? [];
      return variable !== undefined && words.has(variable);
    });
  }

  for (const node of nodes) {
    it(`all texts of ${node} are used`, () => {
      const folder = path.join(root, node);
      const text = readFileSync(path.join(folder, `locales/en-US/${node}.json`), 'utf8');
      const forms = [...filesIn(folder, '.form.html'), ...rows].map((file) => readFileSync(file, 'utf8'));
      const shown = forms.flatMap((form) => [
        ...form.matchAll(/data-i18n="(?:\[\w+\])?(?:[\w/-]+:)?([\w.]+)"/g),
      ]);
      const inForms = new Set(shown.map(([, key]) => key));
      keysOf(JSON.parse(text) as object)
        .filter((key) => !inForms.has(key) && !isUsed(key) && !BY_NODE_RED.test(key))
        .should.eql([]);
    });
  }
});

/** Used by Node-RED: the palette category. catalogue_spec.ts checks the errors. */
const BY_NODE_RED = /^palette\.label\.cloud_drive$|^errors\./;

function keysOf(catalogue: object, before = ''): string[] {
  return Object.entries(catalogue).flatMap(([key, text]: [string, string | object]) =>
    typeof text === 'string' ? [before + key] : keysOf(text, `${before}${key}.`),
  );
}

/** A pattern with a group for each expression of the template. Text before a colon is the name of a catalogue. */
function patternOf(template: ts.TemplateExpression): string {
  const tails = template.templateSpans.map((span) => span.literal.text);
  const text = [template.head.text, ...tails].join('\0').replace(/^.*:/, '');
  return `^${text.replace(/[^\w\0]/g, '\\$&').replaceAll('\0', '(\\w+)')}$`;
}

describe('code of the nodes', () => {
  /** Texts with spaces that users don't read: event names, attributes, CSS, log prefixes and file headers. */
  const NOT_FOR_USERS = [
    /^cloud drive$|^\[cloud drive\]$|^cloud-drive state$|^unknown version$|^not a regular file$/,
    /^(?:change|dragleave|aria-invalid|input,) [a-z-]+$/,
    /^(?:fa|red-ui-button) /,
    /^:root \{|^text\/html; |^ol, li$/,
  ];
  /** Functions and properties that show a text in the editor, where even a single word counts. */
  const DISPLAYS = /^(?:text|html|append|prepend|title|notify|alert|placeholder|label|aria-label)$/;

  for (const source of sources) {
    const file = path.relative(root, source.fileName);
    it(`${file} contains no text for users`, () => {
      const found: string[] = [];
      each(source, (node) => {
        if (isText(node) && isForUsers(node)) found.push(node.text);
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

  function isForUsers(node: Text): boolean {
    if (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent)) return false;
    const text = node.text.replace(/<[^>]*>?/g, '').trim();
    if (NOT_FOR_USERS.some((no) => no.test(text))) return false;
    return /[A-Za-z]{2,}[,.:;]? [A-Za-z]{2,}/.test(text) || (/[A-Za-z]{2,}/.test(text) && isDisplayed(node));
  }

  function isDisplayed(node: ts.Node): boolean {
    const { parent } = node;
    if (!path.relative(root, parent.getSourceFile().fileName).includes('editor')) return false;
    if (ts.isPropertyAssignment(parent))
      return parent.initializer === node && DISPLAYS.test(nameOf(parent.name));
    if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
    const { name } = parent.expression;
    const [first] = parent.arguments;
    return DISPLAYS.test(name.text === 'attr' && first && first !== node ? nameOf(first) : name.text);
  }

  const nameOf = (node: ts.Node): string =>
    ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : '';
});
