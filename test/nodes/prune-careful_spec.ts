/** Files that prune must not remove, as docs/nodes/prune.md describes them. */
import should from 'should';
import { type DriveFile, LocalTime } from '../../src/index';
import { FakeClock, replaceSystemClock, restoreSystemClock } from '../support/clock';
import { TOKEN, createTestClient } from '../support/client/test-client';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const DAY = 86_400_000;
const MIME_PREFIX = 'application/vnd.google-apps.';

interface PruneResult {
  kept: DriveFile[];
  removed: DriveFile[];
}

describe('prune node with files that change', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let folder: string;
  let ids: string[];

  beforeEach(async () => {
    folder = await drive().files.addFolder('backups');
    ids = [];
    for (let age = 0; age < 5; age++) {
      const modifiedTime = Date.now() - age * DAY - 60_000;
      ids.push(await drive().files.add({ name: `${age}.tar`, parent: folder, content: 'x', modifiedTime }));
    }
  });

  const names = (files: DriveFile[]): string => files.map(({ name }) => name).join(' ');
  const runPrune = async (rules: object, service: 'google' | 'custom' = 'google') => {
    const node = { id: 'n', type: 'cloud-drive-prune', dryRun: false, mode: 'permanent', ...rules };
    const flow = await load([node], { url: drive().url, service });
    return flow.run('n', { payload: folder });
  };
  const result = async (rules: object, service: 'google' | 'custom' = 'google'): Promise<PruneResult> =>
    passed(await runPrune(rules, service)).payload as PruneResult;
  /** Somebody else does something to one while the oldest is removed. */
  const meanwhile = (
    change: (other: ReturnType<typeof createTestClient>['client']) => Promise<unknown>,
  ): void => {
    const until = async (): Promise<void> => {
      const other = createTestClient(drive().url);
      await change(other.client);
      other.close();
    };
    drive().faults.add({ kind: 'delay', until, match: { path: new RegExp(`${ids[4]}$`) } });
  };
  const move = (more: { name?: string; folderId?: string }) => ({
    ...({
      id: ids[3]!,
      name: '',
      folderId: '',
      ifExists: 'duplicate',
      fields: 'id',
      restore: false,
    } as const),
    ...more,
  });

  for (const service of ['google', 'custom'] as const) {
    it(`prune keeps a file that gets new content while others are removed, at a ${service} service`, async () => {
      const data = Buffer.from('new');
      const upload = {
        name: '3.tar',
        folderId: folder,
        mimeType: '',
        content: { data },
        ifExists: 'replace',
      } as const;
      meanwhile((other) => other.upload({ ...upload, keepModifiedTime: false, metadata: {}, fields: 'id' }));
      const { kept, removed } = await result({ keepNewest: 2 }, service);
      names(removed).should.equal('2.tar 4.tar');
      names(kept).should.equal('3.tar 0.tar 1.tar');
      should(await drive().files.contentOf(ids[3]!)).eql(data);
    });
  }

  for (const [what, edit] of [
    ['no id', ({ id: _id, ...file }: Record<string, unknown>) => file],
    ['the name null', (file: Record<string, unknown>) => ({ ...file, name: null })],
  ] as const) {
    it(`prune removes nothing if a file of the list has ${what}`, async () => {
      const editPage = (files: Record<string, unknown>[]): Record<string, unknown>[] => files.map(edit);
      drive().faults.add({ kind: 'editPage', edit: editPage, match: { path: /\/files$/ } });
      failed(await runPrune({ keepNewest: 1 }), 'bad_response');
      drive().files.in(folder).length.should.equal(5);
    });
  }

  it('prune treats null members as missing and keeps files whose date is null', async () => {
    const edit = (files: Record<string, unknown>[]): Record<string, unknown>[] =>
      files.map((file, index) => ({ ...file, parents: null, ...(index === 0 && { modifiedTime: null }) }));
    drive().faults.add({ kind: 'editPage', edit, match: { path: /\/files$/ } });
    const { kept, removed } = await result({ keepNewest: 1 });
    [kept.length, removed.length].should.eql([2, 3]);
  });

  it('prune keeps a file that is moved while others are removed', async () => {
    const folderId = await drive().files.addFolder('to be kept');
    meanwhile((other) => other.move(move({ folderId })));
    names((await result({ keepNewest: 2 })).kept).should.equal('3.tar 0.tar 1.tar');
    should(drive().files.find(ids[3]!)?.parent).equal(folderId);
  });

  it('prune keeps a file that is renamed while others are removed', async () => {
    meanwhile((other) => other.move(move({ name: 'keep this.tar' })));
    await result({ keepNewest: 2 });
    should(drive().files.find(ids[3]!)?.name).equal('keep this.tar');
  });

  it('prune does not permanently delete a file that is trashed while others are removed', async () => {
    meanwhile((other) => other.trash(ids[3]!));
    names((await result({ keepNewest: 2 })).removed).should.equal('2.tar 3.tar 4.tar');
    should(drive().files.find(ids[3]!)?.trashed).equal(true);
  });

  it('prune keeps shortcuts and folders without counting them', async () => {
    await drive().files.add({ name: 'latest', parent: folder, mimeType: `${MIME_PREFIX}shortcut` });
    await drive().files.add({
      name: 'old',
      parent: folder,
      mimeType: `${MIME_PREFIX}shortcut`,
      modifiedTime: 1,
    });
    await drive().files.addFolder('2025', folder);
    const { kept, removed } = await result({ keepNewest: 1 });
    names(kept).should.equal('0.tar');
    removed.length.should.equal(4);
    drive().files.in(folder).length.should.equal(4);
  });

  it('prune keeps a folder even if the account has another MIME type for folders', async () => {
    const inner = await drive().files.add({
      name: '2025',
      parent: folder,
      mimeType: `${MIME_PREFIX}folder`,
      modifiedTime: 1,
    });
    const node = { id: 'n', type: 'cloud-drive-prune', dryRun: false, mode: 'permanent', keepNewest: 1 };
    const account = { folderMimeType: 'application/vnd.other-apps.folder' };
    const flow = await load([node], { url: drive().url, account });
    passed(await flow.run('n', { payload: folder }));
    should(drive().files.find(inner)).be.ok();
  });

  it('prune keeps one file if the minimum is empty', async () => {
    names((await result({ keepDays: 0.000_001, minimum: '' })).kept).should.equal('0.tar');
  });

  it('prune reports a file whose metadata request fails and removes the others', async () => {
    const match = { path: new RegExp(`${ids[3]}$`) };
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match });
    failed(await runPrune({ keepNewest: 2 }), 'partial_failure');
    should(drive().files.find(ids[3]!)).be.ok();
    should(drive().files.find(ids[2]!)).equal(undefined);
  });

  it('prune keeps the next file if the newest is removed by someone else before the first removal', async () => {
    const until = async (): Promise<void> => {
      const other = createTestClient(drive().url);
      await other.client.delete(ids[0]!);
      other.close();
    };
    drive().faults.add({ kind: 'delay', until, match: { path: new RegExp(`${ids[0]}$`), method: 'GET' } });
    names((await result({ keepNewest: 1 })).removed).should.equal('2.tar 3.tar 4.tar');
    should(drive().files.find(ids[1]!)).be.ok();
  });

  for (const dryRun of [true, false])
    it(`prune with a clock that is years ahead is partial_failure naming both times, with dryRun ${dryRun}`, async () => {
      const clock = new FakeClock();
      const [wrong, right] = [Date.UTC(2037, 0, 2, 3, 4), Date.UTC(2026, 10, 26, 10, 20)];
      const times = [wrong, right].map((time) => String(new LocalTime(time)));
      clock.jump(wrong - clock.now());
      replaceSystemClock(clock);
      const headers = { Date: new Date(right).toUTCString() };
      drive().faults.add({ kind: 'headers', headers, times: Infinity });
      try {
        const ending = await runPrune({ keepDays: 30, dryRun });
        failed(ending, 'partial_failure', 'Nothing was removed', ...times);
        names((ending.msg.payload as PruneResult).kept).should.equal('0.tar 1.tar 2.tar 3.tar 4.tar');
      } finally {
        restoreSystemClock();
      }
      drive().files.in(folder).should.have.length(5);
    });
});
