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
        should(value).equal(defaultText(name, defaults), name);
        const documented = [...takes.matchAll(/`([^`]+)`/g)].map(([, choice]) => choice);
        if (choices[name]) documented.should.eql(choices[name].filter(Boolean), name);
      }
    });
  }
});

describe('flows on the pages of the nodes', () => {
  const fixture = exampleFixture({ quota: 15 * 1024 ** 3 });

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
    await fixture.examples.deployText(node, whole, fixture.drive.url);
  };
  const debugMessage = async (node: string): Promise<object> => {
    const { _msgid, ...message } = await fixture.examples.debugMessage(node, 'result');
    should(_msgid).be.a.String();
    return message;
  };

  it('every flow produces the documented output, one after the other', async () => {
    for (const node of RUN) {
      const expected = await deploy(node);
      await fixture.examples.pressInject(node);
      compare(await debugMessage(node), expected, node);
    }
  });

  it('the flow that deletes search results does nothing without a match', async () => {
    const [, , flow = ''] = await jsonOf('delete');
    const debug = (JSON.parse(flow) as { id: string; type: string }[]).find(({ type }) => type === 'debug')!;
    // An error would be the first debug output.
    await deployFlow('delete', flow, [{ id: 'errors', type: 'catch', scope: null, wires: [[debug.id]] }]);
    const parent = await fixture.drive.files.addFolder('Readings');
    await fixture.examples.pressInject('delete');
    await fixture.drive.traffic.until(() => fixture.drive.requests.to('GET', /files$/).length > 0);
    const id = await fixture.drive.files.add({ name: 'really-old.txt', parent, content: 'x' });
    await fixture.examples.pressInject('delete');
    should(await debugMessage('delete')).match({ payload: [{ id, result: 'trashed' }] });
  });

  it('the flow of watch emits a message for a new file', async () => {
    await fixture.drive.files.addFolder('Readings');
    const expected = await deploy(WATCH);
    const hasPolled = () =>
      fixture.drive.requests.all.some(({ path: requested }) => requested.endsWith('/changes'));
    await fixture.drive.traffic.until(hasPolled);
    const parent = fixture.idAt('Readings');
    const content = '{"temperature":21}';
    await fixture.drive.files.add({ name: 'reading.json', parent, content, mimeType: 'application/json' });
    compare(await debugMessage(WATCH), expected, WATCH);
  });
});

/** `…` matches any value except undefined and null. Everything else must be equal. */
function compare(actual: unknown, expected: unknown, path: string): void {
  if (expected === '…') {
    should(actual).not.be.undefined();
    should(actual).not.be.null();
  } else if (typeof expected === 'object' && expected !== null) {
    Object.keys(actual as object)
      .sort()
      .should.eql(Object.keys(expected).sort(), path);
    for (const [name, value] of Object.entries(expected)) {
      compare((actual as Record<string, unknown>)[name], value, `${path}.${name}`);
    }
  } else {
    should(actual).equal(expected, path);
  }
}

type Defaults = Record<string, { value: unknown }>;

const bare = (cell: string): string => cell.replace(/`/g, '');

/** Properties that a user sets, without the types and displayed paths of typed inputs. */
function settingsOf(defaults: Defaults): string[] {
  const ignored = ['name', 'account', 'outputs', 'signedInAt'];
  const isDetail = (name: string): boolean =>
    /(?:Type|Path)$/.test(name) && name.replace(/(?:Type|Path)$/, '') in defaults;
  return Object.keys(defaults).filter((name) => !ignored.includes(name) && !isDetail(name));
}

/** A default in the format of the tables. */
function defaultText(name: string, defaults: Defaults): string {
  const value = defaults[name]?.value;
  const source = defaults[`${name}Type`]?.value;
  if (value === '') return 'empty';
  if (Array.isArray(value)) return 'all';
  return `\`${typeof source === 'string' && source !== 'str' ? `${source} ` : ''}${String(value)}\``;
}
