/** Memory of Node-RED while the restore dialog opens an archive with very many entries. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import should from 'should';
import type { BackupEntries, WorkState } from '../../../nodes/shared/contract/dialog-api';
import { indexedArchive } from '../../support/archive/indexed-archive';
import { type TarItem, tar } from '../../support/archive/tar-builder';
import { AdminCalls } from '../../support/node-red/account-admin';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { startNodeRed } from '../../support/node-red/node-red';

const ENTRIES = 100_000;
const MAX_GROWTH = 64 * 1024;

describe('opening a large archive in the restore dialog', () => {
  const drive = useDrive();

  for (const kind of ['an index', 'no index'] as const)
    it(`An archive with ${ENTRIES} entries and ${kind} takes at most 64 MiB`, async function () {
      if (process.platform !== 'linux') this.skip('needs Linux');
      this.timeout(300_000);
      const items = Array.from({ length: ENTRIES }, (_, index): TarItem => {
        return { name: `documents/folder-${index % 1_000}/file-${index}.txt`, content: `${index}` };
      });
      const content = kind === 'an index' ? indexedArchive(items) : gzipSync(tar(...items), { level: 1 });
      const parent = await drive().files.addFolder(`Backups ${kind}`);
      const add = (name: string, data: Buffer) => drive().files.add({ name, parent, content: data });
      const small = await add('small-0001.tar.gz', indexedArchive(items.slice(0, 10)));
      const large = await add('large-0001.tar.gz', content);
      const nodeRed = await startNodeRed();
      try {
        const account = { id: 'account', type: 'cloud-drive-account', ...customAccount(drive().url) };
        await nodeRed.deploy([{ ...account, credentials: { ...CREDENTIALS } }]);
        const admin = new AdminCalls((path, init) => nodeRed.request(path, init));
        const open = async (backup: string): Promise<BackupEntries> => {
          const body = { settings: { folder: '/', folderType: 'str' }, backup };
          const started = await admin.callNode('restore', 'POST', '/account/entries', body);
          for (;;) {
            const path = `/work/${String(started.body!['work'])}`;
            const { body: answer } = await admin.callNode('restore', 'GET', path);
            const state = answer as unknown as WorkState<BackupEntries>;
            if (state.state === 'done') return state.result;
            should(state.state).equal('running');
          }
        };
        await open(small);
        const status = (): string => readFileSync(`/proc/${nodeRed.pid}/status`, 'utf8');
        const kibibytes = (name: string): number =>
          Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status())?.[1]);
        writeFileSync(`/proc/${nodeRed.pid}/clear_refs`, '5');
        const before = kibibytes('VmRSS');
        (await open(large)).entries.length.should.equal(ENTRIES);
        const growth = kibibytes('VmHWM') - before;
        process.stdout.write(`      ${Math.round(growth / 1024)} MiB\n`);
        growth.should.be.below(MAX_GROWTH);
      } finally {
        await nodeRed.close();
      }
    });
});
