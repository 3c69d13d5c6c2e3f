/** Names in the documentation exist in the package: labels, examples, nodes, message properties, languages, versions. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { isReservedName } from '../../src/fs/reserved-names';
import { ROOT } from '../support/node-red/built-package';
import { SOURCE_LANGUAGE, helpOf } from '../support/languages';
import { PLATFORMS } from '../support/run/platforms';
import { type Document, documents, readDocument } from './markdown';
import { textsOf } from './texts';

const nodes = readdirSync(path.join(ROOT, 'nodes')).filter((name) => name !== 'shared');
const examples = readdirSync(path.join(ROOT, 'examples')).map((name) => path.basename(name, '.json'));
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Labels of Node-RED, Google and other tools, and stressed words. */
const FOREIGN_LABELS = [
  ...[
    'Manage palette',
    'Install',
    'Import',
    'Import copy',
    'Examples',
    'My drive',
    'Deploy',
    'Configuration nodes',
    'is not empty',
  ],
  ...['Authorized redirect URIs', 'Authorized domains', 'Publish app', 'client'],
];
/** That page contains labels of other programs, too; only the second columns of its tables name ours. */
const COMPARISON_PAGE = 'docs/coming-from.md';

/** The documents for users. Those for developers have other terms. */
async function userDocuments(): Promise<Document[]> {
  return (await documents()).filter(({ file }) => file === 'README.md' || file.startsWith('docs/'));
}

describe('names in the documentation', () => {
  it('the documented examples of reserved names are reserved', () => {
    const [, section = ''] = read('docs/patterns.md').split('## Reserved names');
    const [table = ''] = section.split('\n## ');
    const names = [...table.matchAll(/^\| `[^`]+` \| `([^`]+)` \|/gm)].map(([, name = '']) => name);
    names.should.have.length(6);
    for (const name of names) isReservedName(name).should.be.true(name);
  });

  const texts = nodes.flatMap(textsOf).map((text) => text.toLowerCase());

  it('every label in the documentation exists in a dialog', async () => {
    const wrong: string[] = [];
    for (const { file, emphasized, tables } of await userDocuments()) {
      const labels =
        file === COMPARISON_PAGE
          ? tables.flatMap(({ rows }) =>
              rows.flatMap(([, here = '']) => [...here.matchAll(/_([^_]+)_/g)].map(([, label]) => label!)),
            )
          : emphasized;
      const unknown = labels.filter((label) => !FOREIGN_LABELS.includes(label) && !isLabel(label));
      wrong.push(...unknown.map((label) => `${file}: ${label}`));
    }
    wrong.should.eql([]);
  });

  /** Also a part of a label: “contains” in “service search” hints, “Add” in “Add or edit”. */
  const isLabel = (label: string): boolean => texts.some((text) => text.includes(label.toLowerCase()));

  it('every example in the documentation exists, and every example is documented', async () => {
    const mentioned = (await userDocuments()).flatMap(({ text }) => [
      ...[...text.matchAll(/\bexamples? ([^.\n]*)/g)].flatMap(([, after]) => bold(after!)),
      ...bold(text).filter((word) => word.includes('-')),
    ]);
    [...new Set(mentioned)].filter((name) => !examples.includes(name)).should.eql([]);
    examples.filter((name) => !mentioned.includes(name)).should.eql([]);
  });

  it('every node in the documentation is registered, and every node is documented', async () => {
    const all = (await userDocuments()).flatMap(({ text }) =>
      [...text.matchAll(/cloud-drive-([a-z-]+[a-z])/g)].map(([, name]) => name!),
    );
    const known = [...nodes, 'state', 'watches', 'restores', 'snapshots', 'account/callback'];
    [...new Set(all)].filter((name) => !known.includes(name)).should.eql([]);
    nodes.filter((name) => !all.includes(name)).should.eql([]);
  });

  it('every message property in the documentation is in the help of a node', async () => {
    const help = nodes.map((node) => helpOf(node, SOURCE_LANGUAGE)).join('\n');
    /** `msg.error.message` is Node-RED's. */
    const nodeRedProperties = ['error', 'message'];
    const isDocumented = (name: string): boolean =>
      nodeRedProperties.includes(name) ||
      new RegExp(
        `<dt[^>]*>(?:payload\\.)?${name}\\b|msg\\.(?:error\\.cause\\.)?(?:\\w+\\.)*${name}\\b|<code>${name}</code>`,
      ).test(help);
    const wrong: string[] = [];
    for (const { file, inlineCode } of await userDocuments()) {
      const names = inlineCode
        .flatMap((code) => [...code.matchAll(/\bmsg\.([\w.]+)/g)].map(([, name]) => name!))
        .flatMap((name) => name.split('.'));
      if (file !== COMPARISON_PAGE)
        wrong.push(...names.filter((name) => !isDocumented(name)).map((name) => `${file}: ${name}`));
    }
    [...new Set(wrong)].should.eql([]);
  });

  it('docs/nodes/sync.md explains each reason in msg.changes', async () => {
    const { tables } = await readDocument('docs/nodes/sync.md');
    const rows = tables.find(({ head }) => head[0] === 'reason')!.rows;
    const explained = rows.flatMap(([names = '']) => names.replace(/`/g, '').split(', '));
    explained.sort().should.eql(membersOf('src/sync/sync-request.ts', 'SyncReason').sort());
  });

  it('every error code in the documentation exists', async () => {
    const codes = membersOf('src/errors.ts', 'ErrorCode');
    const others = [...OAUTH_CODES, ...membersOf('src/sync/sync-request.ts', 'SyncReason')];
    const { text } = await readDocument('README.md');
    text.replace(/\s+/g, ' ').should.match(new RegExp(`one of \\[${codes.length} codes\\]`));
    read('CHANGELOG.md').should.containEql(`one of ${codes.length} codes`);
    for (const { file, inlineCode } of await userDocuments()) {
      const mentioned = inlineCode.filter((code) =>
        /^(?:not|sign_in|permission|invalid|bad|service|rate|quota|partial|local|checksum|insecure|too)_[a-z_]+$/.test(
          code,
        ),
      );
      mentioned.filter((code) => !codes.includes(code) && !others.includes(code)).should.eql([], file);
    }
  });
});

/** The texts of a union type. */
function membersOf(file: string, type: string): string[] {
  const [, members = ''] = new RegExp(`export type ${type} =([^;]+);`).exec(read(file))!;
  return [...members.matchAll(/'(\w+)'/g)].map(([, member]) => member!);
}

/** Error codes of OAuth, RFC 6749 section 5.2. */
const OAUTH_CODES = ['invalid_client', 'invalid_grant', 'invalid_scope'];

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
      `Requires Node-RED ${least(manifest['node-red'].version)} or later and Node.js ${least(manifest.engines.node)} or later.`,
    );
    const major = (version: string, parts: number): string => version.split('.').slice(0, parts).join('.');
    const tested = PLATFORMS.map(({ nodeRed, node }) => `${major(nodeRed, 2)} on ${major(node, 1)}`);
    const sentence = /pairs are tested: Node-RED ([^\n]+)\.\n/.exec(text)?.[1] ?? '';
    const documented = sentence
      .replace(/Node\.js /g, '')
      .split(/, (?:and )?/)
      .flatMap((part) => {
        const [nodeRed = '', nodes = ''] = part.split(' on ');
        return nodes.split(' and ').map((node) => `${nodeRed} on ${node}`);
      });
    documented.sort().should.eql(tested.sort());
    text.should.containEql(`${['', '', 'Two', 'Three', 'Four', 'Five'][tested.length]} pairs are tested`);
  });

  it('README links to each dependency', async () => {
    const { text } = await readDocument('README.md');
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    Object.keys(dependencies).should.have.length(1);
    for (const name of Object.keys(dependencies))
      text.should.containEql(`https://www.npmjs.com/package/${name}`);
  });
});
