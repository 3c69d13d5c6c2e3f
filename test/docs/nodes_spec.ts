/** The page of each node: its table matches the dialog, and its flow works in a real Node-RED. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { editorDefinition } from '../support/editor/editor-definition';
import { exampleFixture } from '../support/node-red/example-fixture';
import { type Document, readDocument } from './markdown';
import { PAGES, nodesInTable } from './pages';
import { choicesOf, labelsOf } from './texts';

/** Triggered by changes on the drive; the other nodes by their Inject node. */
const WATCH = 'watch';
const RUN = PAGES.filter((node) => node !== WATCH);
const ALL = readdirSync(path.join(ROOT, 'nodes')).filter((name) => name !== 'shared');
const pageOf = (node: string): Promise<Document> => readDocument(`docs/nodes/${node}.md`);

describe('pages of the nodes', () => {
  before(ensureBuilt);

  it('every page and every table row belongs to an existing node', () => {
    const pages = readdirSync(path.join(ROOT, 'docs/nodes')).map((name) => path.basename(name, '.md'));
    const rows = ['README.md', 'docs/nodes.md'].flatMap(nodesInTable);
    [...pages, ...rows].filter((name) => !ALL.includes(name)).should.eql([]);
  });

  for (const node of ALL) {
    it(`${node} has a page and a row in docs/nodes.md`, () => {
      existsSync(path.join(ROOT, `docs/nodes/${node}.md`)).should.be.true();
      nodesInTable('docs/nodes.md').should.containEql(node);
    });

    if (node !== 'account') {
      it(`${node} has a row in the README`, () => {
        nodesInTable('README.md').should.containEql(node);
      });
    }

    it(`${node} has a table with each setting of its dialog`, async () => {
      const { tables } = await pageOf(node);
      const table = tables.find(({ head }) => head[0] === 'property')!;
      table.head.should.eql(['property', 'label', 'default', 'values']);
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

describe('flows on the pages of the nodes', () => {
  const of = exampleFixture({ quota: 15 * 1024 ** 3 });

  /** Imports the flow of a page into a tab, as the editor does. @returns the documented debug output */
  const deploy = async (node: string): Promise<object> => {
    const [flow, out] = await jsonOf(node);
    await deployFlow(node, flow!);
    return JSON.parse(out!) as object;
  };
  const jsonOf = async (node: string): Promise<string[]> =>
    (await pageOf(node)).code.filter(({ language }) => language === 'json').map(({ text }) => text);
  const deployFlow = async (node: string, flow: string, more: object[] = []): Promise<void> => {
    const tab = `tab-${node}`;
    const nodes = [...(JSON.parse(flow) as { type: string }[]), ...(more as { type: string }[])].map(
      (each) => (each.type === 'cloud-drive-account' ? each : { ...each, z: tab }),
    );
    const whole = JSON.stringify([{ id: tab, type: 'tab', label: node }, ...nodes]);
    await of.examples.deployText(node, whole, of.drive.url);
  };
  const shown = async (node: string): Promise<object> => {
    const { _msgid, ...message } = await of.examples.debugMessage(node, 'result');
    should(_msgid).be.a.String();
    return message;
  };

  it('every flow produces the documented output, one after the other', async () => {
    for (const node of RUN) {
      const expected = await deploy(node);
      await of.examples.pressInject(node);
      compare(await shown(node), expected, node);
    }
  });

  it('the flow that deletes search results does nothing without a match', async () => {
    const [, , flow = ''] = await jsonOf('delete');
    const debug = (JSON.parse(flow) as { id: string; type: string }[]).find(({ type }) => type === 'debug')!;
    // An error would be the first debug output.
    await deployFlow('delete', flow, [{ id: 'errors', type: 'catch', scope: null, wires: [[debug.id]] }]);
    const parent = await of.drive.files.addFolder('Readings');
    await of.examples.pressInject('delete');
    await of.drive.traffic.until(() => of.drive.requests.to('GET', /files$/).length > 0);
    const id = await of.drive.files.add({ name: 'really-old.txt', parent, content: 'x' });
    await of.examples.pressInject('delete');
    should(await shown('delete')).match({ payload: [{ id, result: 'trashed' }] });
  });

  it('the flow of watch emits a message for a new file', async () => {
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

/** `…` matches any value except undefined and null. Everything else must be equal. */
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

/** Properties that a user sets, without the types and displayed paths of typed inputs. */
function settingsOf(defaults: Defaults): string[] {
  const kept = ['name', 'account', 'outputs', 'signedInAt'];
  const beside = (name: string): boolean =>
    /(?:Type|Path)$/.test(name) && name.replace(/(?:Type|Path)$/, '') in defaults;
  return Object.keys(defaults).filter((name) => !kept.includes(name) && !beside(name));
}

/** A default in the format of the tables. */
function written(name: string, defaults: Defaults): string {
  const value = defaults[name]?.value;
  const source = defaults[`${name}Type`]?.value;
  if (value === '') return 'empty';
  if (Array.isArray(value)) return 'all';
  return `\`${typeof source === 'string' && source !== 'str' ? `${source} ` : ''}${String(value)}\``;
}
