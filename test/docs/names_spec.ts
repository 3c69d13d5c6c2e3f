/** Names in the documentation exist in the package: labels, examples, nodes, message properties, languages, versions. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { SOURCE_LANGUAGE, helpOf } from '../support/languages';
import { PLATFORMS } from '../support/run/platforms';
import { type Document, documents, readDocument } from './markdown';
import { textsOf } from './texts';

const nodes = readdirSync(path.join(ROOT, 'nodes')).filter((name) => name !== 'shared');
const examples = readdirSync(path.join(ROOT, 'examples')).map((name) => path.basename(name, '.json'));
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** In italics, but no label of ours: what Node-RED, Google, npm and the other tools say, and what is only stressed. */
const ELSEWHERE = [
  ...[
    'Manage palette',
    'Install',
    'Import',
    'Import copy',
    'Examples',
    'My drive',
    'Deploy',
    'Demo',
    'Sign in here',
    'Configuration nodes',
  ],
  ...['APIs & Services', 'Library', 'Google Auth Platform', 'Data Access', 'Audience', 'Clients'],
  ...['Authorized redirect URIs', 'an object as JSON', 'client', 'nothing', 'not found'],
];
/** On that page other programs' labels stand too; it is held to ours in its second columns. */
const OTHERS = 'docs/coming-from.md';

/** The documents for users; those that speak of the code have words of their own. */
async function forUsers(): Promise<Document[]> {
  const users = (await documents()).filter(({ file }) => file === 'README.md' || file.startsWith('docs/'));
  return users;
}

describe('names in the documentation', () => {
  const texts = nodes.flatMap(textsOf).map((text) => text.toLowerCase());

  it('every label in the documentation exists in a dialog', async () => {
    const wrong: string[] = [];
    for (const { file, emphasized, tables } of await forUsers()) {
      const ours =
        file === OTHERS
          ? tables.flatMap(({ rows }) =>
              rows.flatMap(([, here = '']) => [...here.matchAll(/_([^_]+)_/g)].map(([, label]) => label!)),
            )
          : emphasized;
      const unknown = ours.filter((label) => !ELSEWHERE.includes(label) && !isLabel(label));
      wrong.push(...unknown.map((label) => `${file}: ${label}`));
    }
    wrong.should.eql([]);
  });

  /** A label may stand within a longer one: “Add a number to the new name” within the list. */
  const isLabel = (label: string): boolean => texts.some((text) => text.includes(label.toLowerCase()));

  it('every example in the documentation exists, and every example is documented', async () => {
    const named = (await forUsers()).flatMap(({ text }) => [
      ...[...text.matchAll(/\bexamples? ([^.\n]*)/g)].flatMap(([, after]) => bold(after!)),
      ...bold(text).filter((word) => word.includes('-')),
    ]);
    [...new Set(named)].filter((name) => !examples.includes(name)).should.eql([]);
    examples.filter((name) => !named.includes(name)).should.eql([]);
  });

  it('every node in the documentation is registered, and every node is documented', async () => {
    const all = (await forUsers()).flatMap(({ text }) =>
      [...text.matchAll(/cloud-drive-([a-z-]+[a-z])/g)].map(([, name]) => name!),
    );
    const known = [...nodes, 'state', 'watches', 'account/callback'];
    [...new Set(all)].filter((name) => !known.includes(name)).should.eql([]);
    nodes.filter((name) => !all.includes(name)).should.eql([]);
  });

  it('every message property in the documentation is in the help of a node', async () => {
    const help = nodes.map((node) => helpOf(node, SOURCE_LANGUAGE)).join('\n');
    const isDocumented = (name: string): boolean =>
      new RegExp(
        `<dt[^>]*>(?:payload\\.)?${name}\\b|msg\\.(?:error\\.cause\\.)?(?:\\w+\\.)*${name}\\b|<code>${name}</code>`,
      ).test(help);
    const wrong: string[] = [];
    for (const { file, inlineCode } of await forUsers()) {
      const names = inlineCode
        .flatMap((code) => [...code.matchAll(/\bmsg\.([\w.]+)/g)].map(([, name]) => name!))
        .flatMap((name) => name.split('.'));
      if (file !== OTHERS)
        wrong.push(...names.filter((name) => !isDocumented(name)).map((name) => `${file}: ${name}`));
    }
    [...new Set(wrong)].should.eql([]);
  });

  it('every error code in the documentation exists', async () => {
    const codes = [
      .../export type ErrorCode =([^;]+);/.exec(read('src/errors.ts'))![1]!.matchAll(/'(\w+)'/g),
    ].map(([, code]) => code!);
    const { text } = await readDocument('README.md');
    text.should.containEql(`one of ${codes.length} words`);
    for (const { file, inlineCode } of await forUsers()) {
      const meant = inlineCode.filter((code) =>
        /^(?:not|sign_in|permission|invalid|bad|service|rate|quota|partial|local|checksum|insecure|too)_[a-z_]+$/.test(
          code,
        ),
      );
      meant.filter((code) => !codes.includes(code)).should.eql([], file);
    }
  });
});

function bold(text: string): string[] {
  return [...text.matchAll(/\*\*([a-z][a-z-]*)\*\*/g)].map(([, name]) => name!);
}

describe('README', () => {
  it('README names every language of the package', async () => {
    const { text } = await readDocument('README.md');
    const english = new Intl.DisplayNames(['en'], { type: 'language' });
    for (const language of readdirSync(path.join(ROOT, 'nodes/about/locales'))) {
      text.includes(english.of(language.split('-')[0]!)!).should.equal(true, language);
    }
  });

  it('README names the minimum versions and the tested versions', async () => {
    const { text } = await readDocument('README.md');
    const manifest = JSON.parse(read('package.json')) as {
      engines: { node: string };
      'node-red': { version: string };
    };
    const least = (range: string): string => range.replace('>=', '');
    text.should.containEql(
      `Node-RED ${least(manifest['node-red'].version)} and Node.js ${least(manifest.engines.node)} at least`,
    );
    const sentence =
      /shown to work on Node-RED ([^.]*\d\.\d[^.]*\.\d and \d\.\d) with Node\.js ([\d, and]+)/.exec(text);
    const said = (part = ''): string[] => part.match(/\d+(?:\.\d)?/g) ?? [];
    const tried = (pattern: RegExp, versions: string[]): string[] => [
      ...new Set(versions.map((version) => pattern.exec(version)![0])),
    ];
    said(sentence?.[1])
      .sort()
      .should.eql(
        tried(
          /^\d+\.\d+/,
          PLATFORMS.map(({ nodeRed }) => nodeRed),
        ).sort(),
      );
    said(sentence?.[2])
      .sort()
      .should.eql(
        tried(
          /^\d+/,
          PLATFORMS.map(({ node }) => node),
        ).sort(),
      );
  });

  it('README links to each dependency', async () => {
    const { text } = await readDocument('README.md');
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    Object.keys(dependencies).should.have.length(2);
    for (const name of Object.keys(dependencies))
      text.should.containEql(`https://www.npmjs.com/package/${name}`);
  });
});
