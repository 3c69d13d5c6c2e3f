/**
 * Every text of the catalogue is used, and forms contain no literal texts. The compiler finds errors and warnings without a
 * text, or with other parameters than their text has.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { SOURCE_LANGUAGE, helpOf } from '../support/languages';
import { parseClientJson } from '../../nodes/account/panel/pasted-json';

const root = path.join(__dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const nodes = readdirSync(path.join(root, 'nodes')).filter((name) => name !== 'shared');
const ACCOUNT = 'node-red-contrib-cloud-drive/cloud-drive-account';

type Catalogue = { [key: string]: string | Catalogue };
const catalogueOf = (node: string): Catalogue =>
  JSON.parse(read(`nodes/${node}/locales/en-US/${node}.json`)) as Catalogue;
const account = catalogueOf('account');
const at = (catalogue: Catalogue, key: string): unknown =>
  key
    .split('.')
    .reduce<Catalogue | string | undefined>(
      (found, part) => (typeof found === 'object' ? found[part] : undefined),
      catalogue,
    );

function sources(folder: string, fits: (name: string) => boolean): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(file, fits);
    return fits(entry.name) ? [file] : [];
  });
}

const isRuntime = (name: string): boolean => name.endsWith('.ts') && !/\.(?:editor|d)\.ts$/.test(name);
const runtime = [...sources('src', isRuntime), ...sources('nodes', isRuntime)].filter(
  (file) => !file.startsWith('nodes/shared/editor'),
);
const code = runtime.map(read).join('\n');
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '');

const CODES = matches(/export type ErrorCode =([^;]+);/.exec(read('src/errors.ts'))![1]!, /'(\w+)'/g);

/** Composed keys: each pattern as in the source, and the keys that it can produce. */
const COMPOSED: Record<string, string[]> = {
  'invalid_input_${kind}_${problem}': ['file', 'folder'].flatMap((kind) =>
    matches(read('nodes/shared/runtime/id-or-path.ts'), /invalid\(input, '(\w+)'/g).map(
      (problem) => `invalid_input_${kind}_${problem}`,
    ),
  ),
  'not_configured_${what}': matches(read('nodes/account/settings/settings.ts'), /incomplete\('(\w+)'\)/g).map(
    (what) => `not_configured_${what}`,
  ),
};

function errorKeys(): string[] {
  const families = [...CODES, 'sign_in_refused'].join('|');
  const literal = new RegExp(`'((?:${families})(?:_[a-z_]+)?)'`, 'g');
  const composed = matches(code, new RegExp(`\`((?:${families})_\\$[^\`]+)\``, 'g'));
  const unknown = composed.filter((pattern) => !(pattern in COMPOSED));
  unknown.should.eql([], 'a composed key that is missing in COMPOSED');
  return [...CODES, ...matches(code, literal), ...composed.flatMap((pattern) => COMPOSED[pattern]!)];
}

describe('catalogue', () => {
  const errorTexts = account['errors'] as Record<string, string>;

  it('the first sentence of each error and warning has at most 100 characters', () => {
    const texts = { ...errorTexts, ...(account['warnings'] as Record<string, string>) };
    Object.entries(texts)
      .filter(([, text]) => /^.+?[.!?](?=\s|$)/.exec(text)![0].length > 100)
      .map(([key]) => key)
      .should.eql([]);
  });

  it('the catalogue has no text for an unknown error', () => {
    const known = new Set(errorKeys());
    Object.keys(errorTexts)
      .filter((key) => !known.has(key))
      .should.eql([]);
  });

  it('the catalogue has a short text for each status', () => {
    const states = matches(read('nodes/shared/runtime/status.ts'), /text\('(\w+)'\)/g);
    for (const state of [...CODES, ...states])
      String(at(account, `status.${state}`)).should.match(/^[a-z].{2,24}$/);
  });

  /** Keys in the calls of a function, including both branches of a conditional expression. */
  const usedKeys = (text: string, call: string): string[] =>
    matches(text, new RegExp(`\\b${call}\\(([^(),]*)`, 'g')).flatMap((given) =>
      matches(given, /(?:^|[?:])\s*'([\w.]+)'/g),
    );

  it('the catalogue has the texts that the editor code uses', () => {
    for (const file of sources('nodes', (name) => name.endsWith('.ts'))) {
      const text = read(file);
      for (const key of usedKeys(text, 'sharedText')) {
        String(typeof at(account, key)).should.equal('string', `${file}: ${key}`);
      }
      const [, node = ''] = file.split('/');
      for (const key of usedKeys(text, '(?:this|node)\\._').filter(() => node !== 'shared')) {
        String(typeof at(catalogueOf(node), key)).should.equal('string', `${file}: ${key}`);
      }
    }
  });

  it('the catalogue has the texts that the definitions of all flow nodes use', () => {
    for (const node of nodes.filter((each) => each !== 'account')) {
      const own = read(`nodes/${node}/${node}.editor.ts`);
      const keys = [
        'label',
        own.includes('inputs: 0') ? '' : 'input',
        own.includes('outputLabels(') ? '' : 'output',
      ];
      for (const key of keys.filter(Boolean))
        String(typeof at(catalogueOf(node), key)).should.equal('string', `${node}: ${key}`);
    }
  });

  it('the catalogue has a text for each problem of a client JSON', () => {
    const source = read('nodes/account/panel/pasted-json.ts');
    const problems = matches(/type ClientJsonProblem =([^;]+);/.exec(source)![1]!, /'(\w+)'/g);
    problems.should.containEql(parseClientJson('{}'));
    for (const problem of [...problems, 'no_token'])
      String(typeof at(account, `record.${problem}`)).should.equal('string');
  });
});

/** Characters of a code in the help, which Node-RED shows in one line. */
const LONGEST_CODE = 40;
/** Sections of the help, as in Node-RED's style guide; Details are optional. */
const FLOW_NODE = ['Inputs', 'Outputs', 'Settings', 'Example', 'Errors, retries, cancelling', 'References'];
const SECTIONS: Record<string, string[]> = {
  account: ['Sign in', 'Settings', 'Details', 'References'],
  watch: FLOW_NODE.filter((section) => section !== 'Inputs'),
};

describe('forms', () => {
  const rows = sources('nodes/shared/editor/rows', (name) => name.endsWith('.html'));
  const forms = [...nodes.map((node) => `nodes/${node}/${node}.form.html`), ...rows];

  for (const form of forms) {
    it(`${path.basename(form)} contains only texts from the catalogue`, () => {
      const html = read(form);
      for (const key of matches(html, /data-i18n="(?:\[\w+\])?([^"]+)"/g)) {
        const own = key.startsWith(`${ACCOUNT}:`) ? account : catalogueOf(path.basename(path.dirname(form)));
        String(typeof at(own, key.replace(`${ACCOUNT}:`, ''))).should.equal('string', key);
      }
      const shown = html
        .replace(/<style>[\s\S]*<\/style>|<!--[\s\S]*?-->/g, '')
        // Names of encodings are the same in every language.
        .replace(/<option value="([\w-]+)">\1<\/option>/g, '')
        .replace(/<[^>]*>/g, '');
      shown.trim().should.equal('');
    });

    it(`${path.basename(form)} has a label for each field`, () => {
      const html = read(form);
      const fields = matches(html, /<(?:input|select|textarea)\b[^>]*?\bid="([\w-]+)"/g);
      const hidden = matches(html, /<input type="(?:hidden|file)"[^>]*?\bid="([\w-]+)"/g);
      const labels = matches(html, /<label for="([\w-]+)"/g);
      fields.filter((field) => !hidden.includes(field)).should.eql(labels);
    });
  }

  for (const node of nodes) {
    it(`${node} has a help text with all sections`, () => {
      const help = helpOf(node, SOURCE_LANGUAGE);
      help.should.match(new RegExp(`^<script type="text/html" data-help-name="cloud-drive-${node}">\n<p>`));
      const sections = matches(help, /<h3>([^<]+)<\/h3>/g);
      sections
        .filter((section) => node === 'account' || section !== 'Details')
        .should.eql(SECTIONS[node] ?? FLOW_NODE);
    });

    it(`the help of ${node} has no code that the sidebar would cut off`, () => {
      const codes = matches(helpOf(node, SOURCE_LANGUAGE), /<code>([^<]+)<\/code>/g);
      codes.filter(({ length }) => length > LONGEST_CODE).should.eql([]);
    });
  }
});
