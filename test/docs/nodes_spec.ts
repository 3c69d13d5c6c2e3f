/** The page of each node: its flow is imported into a real Node-RED and run, its table is what the dialog has. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { editorDefinition } from '../support/editor/editor-definition';
import { exampleFixture } from '../support/node-red/example-fixture';
import { type Document, readDocument } from './markdown';
import { PAGES, nodesInTable } from './pages';
import { choicesOf, labelsOf } from './texts';

/** It waits for what happens to it, the others for their button. */
const WATCH = 'watch';
const RUN = PAGES.filter((node) => node !== WATCH);
const ALL = readdirSync(path.join(ROOT, 'nodes')).filter((name) => name !== 'shared');
const pageOf = (node: string): Promise<Document> => readDocument(`docs/nodes/${node}.md`);

describe('the pages of the nodes', () => {
  before(ensureBuilt);

  it('are of nodes that there are, and so are the rows of the tables', () => {
    const pages = readdirSync(path.join(ROOT, 'docs/nodes')).map((name) => path.basename(name, '.md'));
    const rows = ['README.md', 'docs/nodes.md'].flatMap(nodesInTable);
    [...pages, ...rows].filter((name) => !ALL.includes(name)).should.eql([]);
  });

  for (const node of ALL) {
    it(`${node}: there is docs/nodes/${node}.md, and a row in the table of docs/nodes.md`, () => {
      existsSync(path.join(ROOT, `docs/nodes/${node}.md`)).should.be.true();
      nodesInTable('docs/nodes.md').should.containEql(node);
    });

    if (node !== 'account') {
      it(`${node}: there is a row in the table of README.md`, () => {
        nodesInTable('README.md').should.containEql(node);
      });
    }

    it(`${node}: the table has each setting, as the dialog has it`, async () => {
      const { tables } = await pageOf(node);
      const table = tables.find(({ head }) => head[0] === 'property')!;
      table.head.should.eql(['property', 'in the dialog', 'default', 'takes']);
      const { defaults } = editorDefinition(node);
      const rows = Object.fromEntries(table.rows.map(([name = '', ...rest]) => [bare(name), rest]));
      Object.keys(rows).sort().should.eql(settingsOf(defaults).sort());
      const [labels, choices] = [labelsOf(node), choicesOf(node)];
      for (const [name, [label, value, takes = '']] of Object.entries(rows)) {
        if (name in labels) should(label).equal(labels[name], name);
        should(value).equal(written(name, defaults), name);
        const given = [...takes.matchAll(/`([^`]+)`/g)].map(([, choice]) => choice);
        if (choices[name]) given.should.eql(choices[name].filter(Boolean), name);
      }
    });
  }
});

describe('the flows on the pages of the nodes', function () {
  this.timeout(60_000);
  const of = exampleFixture({ quota: 15 * 1024 ** 3 });

  /** Imports what a page has, into a tab as the editor does, and gives what its Debug node should show. */
  const deploy = async (node: string): Promise<object> => {
    const { code } = await pageOf(node);
    const [flow, out] = code.filter(({ language }) => language === 'json').map(({ text }) => text);
    const tab = `tab-${node}`;
    const nodes = (JSON.parse(flow!) as { type: string }[]).map((each) =>
      each.type === 'cloud-drive-account' ? each : { ...each, z: tab },
    );
    const whole = JSON.stringify([{ id: tab, type: 'tab', label: node }, ...nodes]);
    await of.examples.deployText(node, whole, of.drive.url);
    return JSON.parse(out!) as object;
  };
  const shown = async (node: string): Promise<object> => {
    const { _msgid, ...message } = await of.examples.debugMessage(node, 'what comes out');
    should(_msgid).be.a.String();
    return message;
  };

  it('build on each other, and come to what the pages say', async () => {
    for (const node of RUN) {
      const expected = await deploy(node);
      await of.examples.pressInject(node);
      compare(await shown(node), expected, node);
    }
  });

  it('watch tells of what upload puts there', async () => {
    await of.drive.files.addFolder('Readings');
    const expected = await deploy(WATCH);
    const isLooking = () => of.drive.requests.all.some(({ path: where }) => where.endsWith('/changes'));
    await of.drive.traffic.until(isLooking);
    const parent = of.idAt('Readings');
    const content = '{"temperature":21}';
    await of.drive.files.add({ name: 'reading.json', parent, content, mimeType: 'application/json' });
    compare(await shown(WATCH), expected, WATCH);
  });
});

/** What `…` stands for may be anything but nothing; everything else is as it is written, and there is no more. */
function compare(came: unknown, said: unknown, where: string): void {
  if (said === '…') {
    should(came).not.be.undefined();
    should(came).not.be.null();
  } else if (typeof said === 'object' && said !== null) {
    Object.keys(came as object)
      .sort()
      .should.eql(Object.keys(said).sort(), where);
    for (const [name, value] of Object.entries(said)) {
      compare((came as Record<string, unknown>)[name], value, `${where}.${name}`);
    }
  } else {
    should(came).equal(said, where);
  }
}

type Defaults = Record<string, { value: unknown }>;

const bare = (cell: string): string => cell.replace(/`/g, '');

/** Properties that a person sets: without the types of typed fields and what is kept for show. */
function settingsOf(defaults: Defaults): string[] {
  const kept = ['name', 'account', 'outputs', 'signedInAt'];
  const beside = (name: string): boolean =>
    /(?:Type|Path)$/.test(name) && name.replace(/(?:Type|Path)$/, '') in defaults;
  return Object.keys(defaults).filter((name) => !kept.includes(name) && !beside(name));
}

/** A default as the tables write it. */
function written(name: string, defaults: Defaults): string {
  const value = defaults[name]?.value;
  const source = defaults[`${name}Type`]?.value;
  if (value === '') return 'empty';
  if (Array.isArray(value)) return 'all';
  return `\`${typeof source === 'string' && source !== 'str' ? `${source} ` : ''}${String(value)}\``;
}
