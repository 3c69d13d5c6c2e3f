/** The real restic reads what the modules of src/backup/restic write, and the other way around. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'should';
import { decodePath, diskPath } from '../../../../src/fs/path-bytes';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree, varyAttributes, writeTree } from '../../../support/archive/tree';
import { useDisk } from '../../../support/disk';
import { DiskRepository, restic } from '../../../support/snapshots/disk-repository';

const LATIN_1 = decodePath(Buffer.from('caf\xe9', 'latin1'));
const NAMES = {
  'a.txt': 'hello',
  'empty.txt': '',
  'empty/': '',
  'say "hi" \\ <&>.txt': 'quotes',
  'tab\tnew\nline.txt': 'control characters',
  'größe ☃ 😀 \u00a0\u2028.txt': 'not ASCII',
  [LATIN_1]: 'not UTF-8',
  'sub/deep/file.txt': 'deep',
  'sub/link': '-> deep/file.txt',
};

describe('The repository format', () => {
  const disk = useDisk();

  beforeEach(function () {
    needsProgram(this, 'restic');
  });

  async function makeSource(): Promise<string> {
    const source = disk('source');
    await writeTree(source, NAMES);
    writeFileSync(join(source, 'large.bin'), randomBytes(5 * 1024 * 1024));
    writeFileSync(join(source, 'text.txt'), 'the same text again and again\n'.repeat(100_000));
    await varyAttributes(source);
    chmodSync(join(source, 'a.txt'), 0o6755);
    chmodSync(join(source, 'empty'), 0o1777);
    return source;
  }

  for (const version of [1, 2] as const) {
    it(`gives restic a repository of version ${version} that it checks and restores`, async () => {
      const source = await makeSource();
      const repository = await DiskRepository.create(disk('repository'), version);
      const id = repository.backUp(source, { tags: ['nightly'] });

      restic(disk('repository'), ['check', '--read-data']).should.match(/no errors were found/);
      restic(disk('repository'), ['restore', id, '--target', disk('restored')]);
      const expected = await describeTree(source);
      (await describeTree(join(disk('restored'), source))).should.eql(expected);
      const [snapshot] = JSON.parse(restic(disk('repository'), ['snapshots', '--json'])) as object[];
      snapshot?.should.containEql({ id, paths: [source], tags: ['nightly'], hostname: 'pi' });
    });

    it(`reads a repository of version ${version} that restic wrote`, async () => {
      const source = await makeSource();
      restic(disk('repository'), ['init', '--repository-version', String(version)]);
      restic(disk('repository'), ['backup', '--host', 'nas', '--tag', 'one', '--tag', 'two', source]);
      // Keys are the same in both versions, and restic needs seconds for each.
      const second = version === 1 ? [] : ['a second passphrase'];
      for (const passphrase of second) {
        writeFileSync(disk('second'), passphrase);
        restic(disk('repository'), ['key', 'add', '--new-password-file', disk('second')]);
      }

      for (const passphrase of [undefined, ...second]) {
        const repository = await DiskRepository.open(disk('repository'), passphrase);
        repository.config.version.should.equal(version);
        const [snapshot] = repository.snapshots;
        snapshot?.should.containEql({ paths: [source], tags: ['one', 'two'], hostname: 'nas' });
        const all = repository.readAll(snapshot?.tree ?? '');
        const top = source.slice(1);
        for (const path of Object.keys(NAMES)) {
          const node = all.get(`${top}/${path.replace(/\/$/, '')}`);
          if (node?.type === 'file')
            node.bytes?.equals(readFileSync(diskPath(join(source, path)))).should.be.true();
          else (node?.type ?? '').should.match(/dir|symlink/);
        }
        all
          .get(`${top}/large.bin`)
          ?.bytes?.equals(readFileSync(join(source, 'large.bin')))
          .should.be.true();
        all.get(`${top}/a.txt`)?.mode.should.equal(0o6755);
        all.get(`${top}/empty`)?.mode.should.equal(0o1777);
        all.get(`${top}/sub/link`)?.linkTarget?.should.equal('deep/file.txt');
      }
    });
  }

  it('cuts files as restic does, so that restic stores no data again', async () => {
    const source = disk('source');
    mkdirSync(source);
    writeFileSync(join(source, 'random'), randomBytes(16 * 1024 * 1024));
    writeFileSync(join(source, 'zeros'), Buffer.alloc(10 * 1024 * 1024));
    writeFileSync(join(source, 'short'), randomBytes(512 * 1024));
    writeFileSync(join(source, 'shorter'), randomBytes(512 * 1024 - 1));
    const text = Array.from({ length: 200_000 }, (_, line) => `${line} ${line * 7919}\n`).join('');
    writeFileSync(join(source, 'text'), text);
    (await DiskRepository.create(disk('repository'))).backUp(source);
    const before = packsOf(disk('repository')).length;

    const output = restic(disk('repository'), ['backup', '--json', '--force', source]);
    const summary = output.split('\n').find((line) => line.includes('"summary"')) ?? '{}';
    (JSON.parse(summary) as object).should.containEql({ data_blobs: 0, files_new: 5 });
    packsOf(disk('repository')).length.should.be.within(before, before + 1);
  });

  it('gives restic a tree that it recognizes as its own', async () => {
    const source = disk('source');
    await writeTree(source, NAMES);
    const repository = await DiskRepository.create(disk('repository'));
    repository.backUp(source);
    const output = restic(disk('repository'), ['backup', '--json', '--host', 'pi', source]);
    const summary = output.split('\n').find((line) => line.includes('"summary"')) ?? '{}';
    (JSON.parse(summary) as object).should.containEql({ files_new: 0, files_changed: 0 });
  });

  function packsOf(repository: string): string[] {
    return readdirSync(join(repository, 'data')).flatMap((name) =>
      readdirSync(join(repository, 'data', name)),
    );
  }

  it('opens with none but the passphrases of its keys', async () => {
    await DiskRepository.create(disk('repository'));
    await DiskRepository.open(disk('repository'), 'wrong').should.be.rejectedWith('wrong passphrase');
    const { status } = spawnSync('restic', ['-r', disk('repository'), 'snapshots'], {
      env: { ...process.env, RESTIC_PASSWORD: 'wrong' },
    });
    status?.should.not.equal(0);
  });
});
