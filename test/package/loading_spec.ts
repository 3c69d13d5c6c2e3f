/** Loading the nodes must be cheap, because Node-RED loads them even if no flow uses them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  'node-red': { nodes: Record<string, string> };
};

/** Loads and registers all nodes with a fake RED and prints the loaded files. */
const PROGRAM = `
  const get = (_, key) => (key === Symbol.toPrimitive ? () => '' : key === 'userDir' ? '.' : RED);
  const RED = new Proxy(() => undefined, { get, apply: () => RED });
  Intl.Collator = class { constructor() { throw new Error('Creating a collator is slow.'); } };
  for (const file of process.argv.slice(1)) require(file)(RED);
  process.stdout.write(JSON.stringify(Object.keys(require.cache)));
`;

describe('loading the nodes', () => {
  it('loading the nodes loads neither the client nor a dependency, which are loaded on first use', () => {
    ensureBuilt();
    const files = Object.values(manifest['node-red'].nodes).map((file) => path.join(ROOT, file));
    const output = execFileSync(process.execPath, ['-e', PROGRAM, ...files], { encoding: 'utf8' });
    const loaded = (JSON.parse(output) as string[]).map((file) => path.relative(ROOT, file));
    const others = loaded.filter((file) => !files.includes(path.join(ROOT, file)));
    others.sort().should.eql(['dist/base.js', 'dist/cloud-drive.js', 'dist/index.js']);
  });
});
