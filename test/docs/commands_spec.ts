/** Every command in the documentation exists. Other specs test what the commands do. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { documents } from './markdown';

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  scripts: Record<string, string>;
};
/** Commands of npm itself. */
const NPM_COMMANDS = ['it', 'start', 'test', 'ci', 'install', 'audit', 'pack', 'pkg', 'publish', 'uninstall'];
const SPEC = 'test/demo/start_spec.ts';
/** The example in CONTRIBUTING, which doesn't exist. */
const NEW_NODE = 'file-labels';
/** Programs of others, which no test runs. */
const OTHERS = ['git', 'cd', 'cp', 'mkdir', 'docker', 'tar', 'age', 'restic', 'rclone'];

/** Commands in code blocks (one per line, without comments) and in inline code. */
async function commands(): Promise<{ file: string; command: string }[]> {
  return (await documents()).flatMap(({ file, code, inlineCode }) => {
    const blocks = code.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'));
    const inline = inlineCode.filter((text) => /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|curl|git) /.test(text));
    return [...blocks, ...inline]
      .map((line) => line.replace(/\s+#.*$/, '').trim())
      .filter((line) => line !== '')
      .flatMap((line) => line.split(' && '))
      .map((command) => ({ file, command: command.replace(/^(?:[A-Z_]+=\S+ )+/, '') }));
  });
}

/** @returns undefined if the command is valid */
function problem(command: string): string | undefined {
  const [program = '', ...rest] = command.split(' ');
  const given = rest.filter((word) => !word.startsWith('-'));
  if (program === 'npm') return npmProblem(given);
  if (program === 'npx')
    return existsSync(path.join(ROOT, 'node_modules/.bin', rest[0]!)) ? pathProblem(rest) : 'no such program';
  if (program === 'node') return pathProblem(rest);
  if (program === 'curl') return curlProblem(given);
  return OTHERS.includes(program) ? undefined : 'an unknown program';
}

function npmProblem([verb = '', name = '']: string[]): string | undefined {
  if (verb === 'run') return name in manifest.scripts ? undefined : 'no such script';
  if (!NPM_COMMANDS.includes(verb)) return 'an unknown command of npm';
  return verb !== 'install' || ['', manifest.name].includes(name) ? undefined : 'another package';
}

/** The demo's spec has to request the same URL. */
function curlProblem([url = '']: string[]): string | undefined {
  const where = url.replace(/^localhost:(?:\d+|\$PORT)/, '');
  return readFileSync(path.join(ROOT, SPEC), 'utf8').includes(`}${where}\``)
    ? undefined
    : 'not requested by the demo’s spec';
}

/** Ignores paths of the example that `new-node` would create. */
function pathProblem(words: string[]): string | undefined {
  const paths = words.filter((word) => word.includes('/')).map((word) => word.replace(/"/g, ''));
  const missing = paths.filter((file) => !file.includes(NEW_NODE)).find((file) => !pathExists(file));
  return missing === undefined ? undefined : `no ${missing}`;
}

/** Also for patterns, because mocha only warns if a pattern matches nothing. */
function pathExists(file: string): boolean {
  if (!file.includes('*')) return existsSync(path.join(ROOT, file));
  const pattern = new RegExp(`^${path.basename(file).replaceAll('*', '.*')}$`);
  const folder = path.join(ROOT, path.dirname(file));
  return existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name));
}

describe('commands in the documentation', () => {
  it('every command in the documentation exists', async () => {
    const all = await commands();
    all.length.should.be.above(10);
    all
      .map(({ file, command }) => ({ at: `${file}: ${command}`, what: problem(command) }))
      .filter(({ what }) => what !== undefined)
      .should.eql([]);
  });

  it('README starts with the installation, and names the demo and the test command of CI', async () => {
    const all = (await commands()).filter(({ file }) => file === 'README.md').map(({ command }) => command);
    all[0]!.should.equal(`npm install ${manifest.name}`);
    all.should.containDeepOrdered(['npm start', 'npm it']);
    readFileSync(path.join(ROOT, '.ci/run'), 'utf8').should.containEql('npm it');
  });

  it('CONTRIBUTING and README name every npm script for developers', async () => {
    const named = (await commands())
      .filter(({ file }) => file === 'CONTRIBUTING.md' || file === 'README.md')
      .map(({ command }) => /^npm (?:run )?(\S+)/.exec(command)?.[1]);
    const byOthers = ['prepack', 'postpack', 'prelint', 'pretypes', 'lint', 'types', 'unused'];
    Object.keys(manifest.scripts)
      .filter((name) => !byOthers.includes(name) && !named.includes(name))
      .should.eql([]);
  });
});
