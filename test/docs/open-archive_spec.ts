/** The commands in docs/nodes/backup.md and docs/restore-new-machine.md that open archives, run with the real programs. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import 'should';
import { generateAgeKeys } from '../../src/backup/archive/age';
import type { DriveFile } from '../../src/index';
import { needsProgram, runWithPassphrase } from '../support/archive/programs';
import { describeTree, varyAttributes, writeTree } from '../support/archive/tree';
import { useDisk } from '../support/disk';
import { CREDENTIALS } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { passed } from '../support/node-red/outcome';
import { readDocument } from './markdown';

const PASSPHRASE = 'correct horse battery staple';

describe('opening an archive without Node-RED', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let commands: string[];
  /** Those of docs/restore-new-machine.md. */
  let lines: string[];

  before(async () => {
    const { code } = await readDocument('docs/nodes/backup.md');
    const shell = code.filter(({ language }) => language === 'sh');
    commands = shell.flatMap(({ text }) => text.trim().split('\n'));
    commands.should.have.length(3);
    const page = await readDocument('docs/restore-new-machine.md');
    lines = page.code.flatMap(({ text }) => text.trim().split('\n'));
    lines.should.have.length(5);
  });

  /** Backs up `documents`, saves the archive under the documented name, and moves the original away. */
  async function backUp(
    encryption: string,
    more: object,
    credentials: object,
    command: string,
  ): Promise<void> {
    await writeTree(disk('documents'), {
      'a.txt': 'a',
      'notes.txt': 'n',
      'ü/b.txt': 'b',
      link: '-> a.txt',
      'empty/': '',
    });
    await varyAttributes(disk('documents'));
    const node = { id: 'n', type: 'cloud-drive-backup', folder: '', encryption, ...more };
    const options = { url: drive().url, credentials: { account: CREDENTIALS, n: credentials } };
    const flow = await load([node], options);
    const { payload } = passed(await flow.run('n', { filename: disk('documents') }));
    const [name = ''] = /documents-[\w.-]+/.exec(command) ?? [];
    await writeFile(disk(name), await drive().files.contentOf((payload as DriveFile).id));
    await mkdir(disk('original'));
    await rename(disk('documents'), disk('original', 'documents'));
  }
  const expectSame = async (): Promise<void> => {
    (await describeTree(disk('documents'))).should.eql(await describeTree(disk('original', 'documents')));
    await rm(disk('documents'), { recursive: true });
  };
  const sh = (command: string): void => void execFileSync('sh', ['-ec', command], { cwd: disk() });

  it('tar opens an archive that is not encrypted', async function () {
    needsProgram(this, 'tar');
    await backUp('none', {}, {}, commands[0]!);
    sh(commands[0]!);
    await expectSame();
  });

  it('age and tar open an archive with its passphrase', async function () {
    needsProgram(this, 'age');
    await backUp('passphrase', {}, { passphrase: PASSPHRASE }, commands[1]!);
    await runWithPassphrase(`cd ${disk()} && ${commands[1]}`, PASSPHRASE);
    await expectSame();
  });

  it('age and tar open an archive with the private key', async function () {
    needsProgram(this, 'age');
    const { identity, recipient } = await generateAgeKeys();
    await backUp('recipients', { recipients: recipient }, {}, commands[2]!);
    await writeFile(disk('key.txt'), identity);
    sh(commands[2]!);
    await expectSame();
  });

  it('tar lists an archive, and unpacks all of it or one file', async function () {
    needsProgram(this, 'tar');
    const [list = '', all = '', one = ''] = lines;
    await backUp('none', {}, {}, list);
    sh(`${list} | grep -qx documents/notes.txt`);
    sh(all);
    await expectSame();
    sh(one);
    (await readdir(disk('documents'))).should.eql(['notes.txt']);
  });

  it('age and tar list and unpack an archive with its passphrase', async function () {
    needsProgram(this, 'age');
    const [list = '', all = ''] = lines.slice(3);
    await backUp('passphrase', {}, { passphrase: PASSPHRASE }, list);
    await runWithPassphrase(`cd ${disk()} && ${list} | grep -qx documents/notes.txt`, PASSPHRASE);
    await runWithPassphrase(`cd ${disk()} && ${all}`, PASSPHRASE);
    await expectSame();
  });
});
