/** The README in the packed package, which npm and the Flow Library show without the files next to it. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { useDisk } from '../support/disk';
import { ROOT } from '../support/node-red/built-package';
import { npm } from '../support/run/npm';
import { casesOf } from '../support/run/long';

const FILES = ['package.json', 'README.md', 'scripts/pack-readme.mjs', 'scripts/repository.mjs'];
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
};
const original = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

describe('the packed README', () => {
  const disk = useDisk();

  /** Packs a copy of the package without building it. @returns its README */
  const packed = async (repository?: string | { type: string; url: string }): Promise<string> => {
    for (const file of FILES) cpSync(path.join(ROOT, file), disk(file));
    const scripts = { ...manifest.scripts, build: 'node --version' };
    writeFileSync(disk('package.json'), JSON.stringify({ ...manifest, scripts, repository }));
    await npm(['pack', '--loglevel=error'], disk());
    const archive = disk(`node-red-contrib-cloud-drive-${manifest.version}.tgz`);
    return execFileSync('tar', ['-xzOf', archive, 'package/README.md']).toString();
  };
  const relative = (text: string): string[] =>
    [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!).filter((each) => !each.includes('://'));

  it('the README of the project has relative links and images only, which work in a clone', () => {
    relative(original).length.should.be.above(40);
    original.should.not.match(/github(?:usercontent)?\.com/);
  });

  const forms = [
    { type: 'git', url: 'git+https://github.com/someone/drive.git' },
    'https://github.com/someone/drive',
    'git@github.com:someone/drive.git',
    'github:someone/drive',
    'someone/drive',
  ];
  for (const form of casesOf(forms, 2)) {
    it(`the links and images are absolute with the repository ${JSON.stringify(form)}`, async () => {
      const text = await packed(form);
      relative(text).should.eql([]);
      text.should.containEql('(https://github.com/someone/drive/blob/HEAD/docs/signing-in.md)');
      text.should.containEql(
        '(https://github.com/someone/drive/blob/HEAD/docs/signing-in.md#publish-the-app)',
      );
      text.should.containEql('(https://raw.githubusercontent.com/someone/drive/HEAD/docs/images/');
    });
  }

  for (const form of casesOf([undefined, 'https://git.example/someone/drive'], 1)) {
    it(`the images are left out, and the text of links stays, with the repository ${form}`, async () => {
      const text = await packed(form);
      text.should.not.match(/!\[/);
      text.should.containEql('Signing in shows each step.').and.containEql('**upload** data or a file');
      text.should.containEql('[axios](https://www.npmjs.com/package/axios)');
      relative(text).should.eql([]);
      text.should.not.match(/\n\n\n/);
    });
  }

  it('the original README is back after packing, also if an earlier run was killed', async () => {
    await packed();
    readFileSync(disk('README.md'), 'utf8').should.equal(original);
    const run = (verb: string) =>
      execFileSync(process.execPath, ['scripts/pack-readme.mjs', verb], { cwd: disk() });
    run('prepare');
    run('prepare');
    readFileSync(disk('README.md'), 'utf8').should.not.equal(original);
    run('restore');
    readFileSync(disk('README.md'), 'utf8').should.equal(original);
    existsSync(disk('README.md.original')).should.be.false();
  });
});
