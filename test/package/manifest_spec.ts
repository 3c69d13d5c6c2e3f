/** Every node has all its parts. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { editorDefinition } from '../support/editor/editor-definition';

const root = path.join(__dirname, '../..');
const read = (...parts: string[]): string => readFileSync(path.join(root, ...parts), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  'node-red': { nodes: Record<string, string> };
  files: string[];
  repository?: { url: string };
  homepage?: string;
  bugs?: { url: string };
};
const nodes = readdirSync(path.join(root, 'nodes')).filter((name) => name !== 'shared');
const examples = readdirSync(path.join(root, 'examples')).map((name) => ({
  name,
  text: read('examples', name),
}));

/** The node that `npm run new-node` copies. */
const MODEL = 'about';

/** The unique parts of a node by file: descriptions and icon. */
function uniqueParts(node: string): Map<string, string> {
  const first = (file: string, pattern: RegExp): [string, string] => {
    const text = existsSync(path.join(root, file)) ? read(file) : '';
    return [file, pattern.exec(text)?.[1] ?? `none in ${file}`];
  };
  const locales = readdirSync(path.join(root, 'nodes', node, 'locales')).map(
    (language) => `nodes/${node}/locales/${language}/${node}`,
  );
  return new Map([
    first(`nodes/${node}/${node}.ts`, /^ \* [\w ]+: (.+)$/m),
    first(`icons/cloud-drive-${node}.svg`, /([^]+)/),
    first(`docs/nodes/${node}.md`, /^# .+\n\n(.+)$/m),
    first(`examples/${node}.json`, /"info": "(.+)"/),
    ...locales.map((file) => first(`${file}.html`, /<p>(.+)<\/p>/)),
    ...locales.map((file) => first(`${file}.json`, /"output": "(.+)"/)),
  ]);
}

describe('package', () => {
  it('the manifest registers exactly the node folders', () => {
    const expected = Object.fromEntries(
      nodes.map((name) => [`cloud-drive-${name}`, `dist/nodes/${name}.js`]),
    );
    manifest['node-red'].nodes.should.eql(expected);
  });

  it('the manifest publishes dist and examples', () => {
    manifest.files.should.containDeep(['dist', 'resources', 'examples']);
  });

  it('the manifest names no repository, homepage or issues that don’t exist', () => {
    const { repository, homepage = '', bugs } = manifest;
    if (repository === undefined) (homepage + (bugs?.url ?? '')).should.equal('');
    else homepage.should.equal(`${repository.url.replace(/^git\+|\.git$/g, '')}#readme`);
  });

  for (const node of nodes) {
    describe(node, () => {
      for (const part of [
        `${node}.ts`,
        ...(node === 'account' ? [] : [`${node}.defaults.ts`]),
        `${node}.editor.ts`,
        `${node}.form.html`,
        `locales/en-US/${node}.json`,
        `locales/en-US/${node}.html`,
      ]) {
        it(`${node} has ${part}`, () => {
          existsSync(path.join(root, 'nodes', node, part)).should.be.true();
        });
      }

      it(`${node} has help for its type`, () => {
        read('nodes', node, 'locales/en-US', `${node}.html`).should.containEql(
          `data-help-name="cloud-drive-${node}"`,
        );
      });

      it(`${node} has a form for its type`, () => {
        read('nodes', node, `${node}.form.html`).should.containEql(
          `data-template-name="cloud-drive-${node}"`,
        );
      });

      it(`${node} has a spec`, () => {
        const specs = readdirSync(path.join(root, 'test/nodes'), { recursive: true }) as string[];
        specs.some((name) => name.startsWith(node)).should.be.true();
      });

      it(`${node} is in an example`, () => {
        examples.some(({ text }) => text.includes(`"cloud-drive-${node}"`)).should.be.true();
      });

      if (node !== MODEL) {
        it(`${node} has no text or icon left from ${MODEL}, the model of new nodes`, () => {
          const model = uniqueParts(MODEL);
          const left = [...uniqueParts(node)].filter(
            ([part, text]) => text === model.get(part.replaceAll(node, MODEL)),
          );
          left.map(([part]) => part).should.eql([]);
        });
      }

      if (node !== 'account') {
        it(`${node} has an existing icon`, () => {
          const { icon } = editorDefinition(node);
          existsSync(path.join(root, 'icons', String(icon))).should.be.true();
        });
      }
    });
  }

  describe('examples', () => {
    const SIGN_IN =
      /\*\*Sign in[^*]*\*\*\n\n(?:.+\n\n)?1\. [^]+\*\*Update\*\*, \*\*Done\*\* and \*\*Deploy\*\*\.\n\n.+\(sidebar, \*Configuration nodes\*\)\.$/;

    it('examples share no node ids except the account, because imports would conflict', () => {
      const flows = examples.map(({ text }) => JSON.parse(text) as { id: string; type: string }[]);
      const ids = flows.flat().flatMap(({ id, type }) => (type === 'cloud-drive-account' ? [] : [id]));
      ids.filter((id, index) => ids.indexOf(id) !== index).should.eql([]);
    });

    it('each example that restores to the disk has a folder of its own', () => {
      const folders = examples.flatMap(({ text }) => text.match(/"[^"]*\/restored[^"]*"/g) ?? []);
      folders.should.have.length(new Set(folders).size).and.above(1);
    });

    for (const { name, text } of examples) {
      it(`the comment of example ${name} says how to sign in, to its last sentence`, () => {
        const flow = JSON.parse(text) as { type: string; info?: string }[];
        const comments = flow.filter(({ type }) => type === 'comment').map(({ info }) => info ?? '');
        comments.some((info) => SIGN_IN.test(info)).should.be.true();
      });

      it(`example ${name} is a flow with a comment, an Inject and an account without credentials`, () => {
        const flow = JSON.parse(text) as { type: string; credentials?: unknown; info?: string }[];
        flow.should.be.an.Array();
        flow
          .filter(({ type }) => type === 'comment')
          .some(({ info }) => Boolean(info))
          .should.be.true();
        flow.some(({ type }) => type === 'inject').should.be.true();
        const account = flow.find(({ type }) => type === 'cloud-drive-account');
        account?.should.not.have.property('credentials');
        (account === undefined).should.be.false();
      });
    }
  });
});
