/** What finished nodes show in their status: the table of docs/nodes.md. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import 'should';
import { StatusTexts } from '../../../nodes/shared/runtime/status-texts';
import { useDisk } from '../../support/disk';
import { textsOf } from '../../support/languages';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { passed } from '../../support/node-red/outcome';

/** The translation of Node-RED, as far as texts of the account use it. */
function redIn(language: string): NodeAPI {
  const texts = textsOf('account', language);
  const translate = (key: string, params: Record<string, string>) =>
    (texts.get(key.split(':')[1]!) ?? key).replace(/__(\w+)__/g, (_, name: string) => params[name]!);
  return { _: translate } as unknown as NodeAPI;
}

describe('status texts', () => {
  const english = new StatusTexts(redIn('en-US'));

  it('counts have a singular and a plural, and a plus sign if there are more', () => {
    [0, 1, 2, 1_204]
      .map((number) => english.count(number, 'files'))
      .should.eql(['0 files', '1 file', '2 files', '1,204 files']);
    english.count(1, 'folders', true).should.equal('1+ folders');
    const french = new StatusTexts(redIn('fr'));
    [0, 1, 2]
      .map((number) => french.count(number, 'removed'))
      .should.eql(['0 supprimé', '1 supprimé', '2 supprimés']);
  });

  it('every result in every language that has no name begins with a digit, so that the editor shows it as it is', () => {
    for (const language of ['en-US', 'de', 'fr', 'es-ES', 'ja', 'zh-CN']) {
      const texts = new StatusTexts(redIn(language));
      for (const what of ['files', 'folders', 'items', 'changes', 'removed', 'dry_run'] as const)
        for (const number of [1, 2]) texts.count(number, what).should.match(/^\d/, language);
      texts.uploaded(5, 1_500).should.match(/^5\D.* · .*1[.,]5/, language);
      texts.used(6.7).should.match(/^7/, language);
      const nothing = { created: 0, updated: 0, removed: 0, unchanged: 1_204 };
      for (const counts of [nothing, { ...nothing, created: 1 }, { ...nothing, updated: 2, removed: 3 }])
        texts.synced(counts, true).should.match(/^\d/, language);
      texts.progress(1_204, 20_000).should.match(/^1.?204 \/ 20.?000$/, language);
    }
  });

  it('a transferred file has its name and size, or the bytes transferred if the service reports no size', () => {
    english.transferred({ id: 'x', name: 'first.txt', size: '13' }, 0).should.equal('first.txt · 13 B');
    english.transferred({ id: 'x', name: 'Table.csv' }, 1_500).should.equal('Table.csv · 1.5 kB');
    english.transferred({ id: 'x' }, 13).should.equal('13 B');
    new StatusTexts(redIn('fr'))
      .transferred({ id: 'x', name: '1.5 MB', size: '13' }, 0)
      .should.equal('1.5 MB · 13 o');
    english.file({ id: 'x', name: 'Backups' }, 'created').should.equal('Backups · created');
    english.used(6.7).should.equal('7 % used');
  });

  it('a synchronization shows what it changed, or how many files are unchanged', () => {
    const counts = { created: 12, updated: 3, removed: 0, unchanged: 1_204 };
    english.synced(counts, false).should.equal('12 created · 3 updated');
    english
      .synced({ ...counts, removed: 1 }, true)
      .should.equal('12 to create · 3 to update · 1 to remove (dry run)');
    english.synced({ ...counts, created: 0, updated: 0 }, true).should.equal('1,204 unchanged (dry run)');
    english.synced({ ...counts, created: 0, updated: 0 }, false).should.equal('1,204 unchanged');
  });

  it('a long name loses its middle, and no name breaks the line or looks like a placeholder', () => {
    const long = `${'a'.repeat(60)} 2026-11-22 part 7.tar.gz`;
    english
      .file({ id: 'x', name: long }, 'moved')
      .should.equal(`${'a'.repeat(19)}…-11-22 part 7.tar.gz · moved`);
    english.file({ id: 'x', name: 'a\n\u202eb' }, 'moved').should.equal('ab · moved');
    english
      .file({ id: 'x', name: 'a__b__c $t(label)' }, 'moved')
      .should.equal('a_\u2060_b_\u2060_c $\u2060t(label) · moved');
  });
});

describe('status of a finished node', () => {
  useNodeRed();
  const drive = useDrive({ quota: 10_000 });
  const disk = useDisk();

  it('each node shows what happened', async () => {
    const folder = await drive().files.addFolder('inbox');
    const local = path.join(disk(), 'local.bin');
    await writeFile(local, 'x'.repeat(2_000));
    const first = { payload: 'Hello, world!', filename: 'first.txt', folderId: folder };
    const copy = path.join(disk(), 'copy');
    const inFolder = { payload: { folderId: folder, text: '' } };
    const steps: [type: string, settings: object, msg: Record<string, unknown>, status: string][] = [
      ['upload', {}, first, 'first.txt · 13 B'],
      ['upload', { ifExists: 'skip' }, first, 'first.txt · skipped'],
      ['upload', { source: 'file' }, { filename: local, folderId: folder }, 'local.bin · 2 kB'],
      ['download', {}, { payload: '/inbox/first.txt' }, 'first.txt · 13 B'],
      ['download', { output: 'file' }, { payload: '/inbox/local.bin', filename: copy }, 'local.bin · 2 kB'],
      ['about', {}, {}, '20 % used'],
      ['list-folders', {}, { payload: '' }, '1 folder'],
      ['search-files', {}, inFolder, '2 files'],
      ['search-files', { limit: 1, output: 'each' }, inFolder, '1+ files'],
      ['search-files', { kind: 'any' }, { payload: { folderId: folder, text: 'first' } }, '1 item'],
      ['create-folder', {}, { payload: '/made/here' }, 'here · created'],
      ['create-folder', {}, { payload: '/made/here' }, 'here · already exists'],
      ['move', { targetName: 'second.txt' }, { payload: '/inbox/first.txt' }, 'second.txt · renamed'],
      ['move', { folder: '/made' }, { payload: '/inbox/second.txt' }, 'second.txt · moved'],
      ['move', { folder: '/', action: 'copy' }, { payload: '/made/second.txt' }, 'second.txt · copied'],
      ['delete', {}, { payload: '/made/second.txt' }, '1 removed'],
      ['delete', { missing: 'ignore' }, { payload: ['/second.txt', 'none'] }, '1 removed'],
    ];
    const nodes = steps.map(([type, settings], index) => ({
      ...{ id: `n${index}`, type: `cloud-drive-${type}` },
      ...settings,
    }));
    const flow = await load(nodes, { url: drive().url });
    for (const [index, [type, settings, msg, text]] of steps.entries()) {
      passed(await flow.run(`n${index}`, msg));
      const expected = { fill: 'green', shape: 'dot', text };
      flow
        .statuses(`n${index}`)
        .at(-1)!
        .should.eql(expected, `${type} ${JSON.stringify(settings)}`);
    }
  });
});
