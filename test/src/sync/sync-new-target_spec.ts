/** Uploads to a path on the drive that doesn't exist yet: nothing is created before the plan is complete. */
import 'should';
import { symlink } from 'node:fs/promises';
import { CAPABILITIES } from '../../../src/capabilities';
import type { SyncRequest, SyncResult } from '../../../src/index';
import { MINIMAL_FOLDER, startMinimalService } from '../../local-drive/minimal-service';
import { rejected } from '../../support/client/rejected';
import { TOKEN, createTestClient } from '../../support/client/test-client';
import { useDisk } from '../../support/disk';
import { holdRequest } from '../../support/http/hold-request';
import { SYNC_DEFAULTS, syncFixture } from '../../support/sync/sync-fixture';
import { readDrive, writeDisk, writeDrive } from '../../support/sync/trees';

const TREE = { 'a.txt': 'a @1600000000', 'd/': '', 'd/b.txt': 'b @1600000000' };

for (const kind of ['google', 'custom'] as const) {
  describe(`uploads to a path that does not exist, ${kind}`, () => {
    const fixture = syncFixture({ service: { can: CAPABILITIES[kind] } });
    let count = 0;
    let name: string;
    beforeEach(async () => {
      name = `new ${++count}`;
      await fixture.writeDisk(TREE);
    });

    const request = (more: Partial<SyncRequest> = {}): SyncRequest => {
      const folderPath = { path: `/${name}/deep`, createMissing: true, cacheEpoch: 0 };
      return fixture.request('up', { folderId: undefined, folderPath, ...more });
    };
    const up = (more?: Partial<SyncRequest>): Promise<SyncResult> => fixture.client.sync(request(more));
    const folders = (parent: string, wanted: string): string[] =>
      fixture.drive.files
        .in(parent)
        .filter((file) => file.name === wanted && !file.trashed)
        .map(({ id }) => id);
    /** Ids of all folders with the name of the target. */
    const targets = (): string[] =>
      folders(fixture.drive.files.rootId, name).flatMap((id) => folders(id, 'deep'));
    const writes = (): number => fixture.drive.requests.all.filter(({ method }) => method !== 'GET').length;

    it('an upload creates the folders of the path and its content', async () => {
      const { summary, error } = await up();
      (error === undefined).should.be.true();
      summary.should.containEql({ created: 2, failed: 0 });
      const [id = '', ...others] = targets();
      others.should.eql([]);
      (await readDrive(fixture.drive, id)).should.eql(TREE);
      (await up()).changes.should.eql([]);
    });

    it('a conflict creates no folder of the path', async () => {
      await symlink('nowhere', fixture.path('link'));
      await rejected(up({ symlinks: 'error' }), 'conflict', 'conflict_sync_symlinks');
      writes().should.equal(0);
      folders(fixture.drive.files.rootId, name).should.eql([]);
    });

    it('a path of a file is a conflict also if nothing may be created, and for a download', async () => {
      await fixture.drive.files.add({ name, content: 'x' });
      for (const path of [`/${name}`, `/${name}/deep`]) {
        const folderPath = { path, createMissing: false, cacheEpoch: 0 };
        for (const dryRun of [true, false]) {
          await rejected(up({ folderPath, dryRun }), 'conflict', 'conflict_path_file');
          const download = fixture.request('down', { folderId: undefined, folderPath, dryRun });
          await rejected(fixture.client.sync(download), 'conflict', 'conflict_path_file');
        }
      }
    });

    it('a file on the path is a conflict before the folder on disk is listed', async () => {
      await symlink('nowhere', fixture.path('link'));
      await fixture.drive.files.add({ name, content: 'x' });
      await rejected(up({ symlinks: 'error' }), 'conflict', 'conflict_path_file');
      writes().should.equal(0);
    });

    it('several uploads at once create the folders once and every file once', async () => {
      const results = await Promise.all([up(), up(), up({ extra: 'delete' })]);
      results.map(({ summary }) => summary.created).should.eql([2, 0, 0]);
      targets().should.have.length(1);
      (await readDrive(fixture.drive, targets()[0] ?? '')).should.eql(TREE);
    });

    it('an upload by id waits for the upload that has created the folder', async () => {
      let wait = (): void => undefined;
      const { release, reached } = holdRequest(fixture.drive);
      const waits = new Promise<void>((resolve) => (wait = resolve));
      const first = up();
      await reached;
      const [folderId = ''] = targets();
      const second = fixture.up({ folderId }, { onQueue: wait });
      await Promise.race([waits, second]);
      release();
      const results = await Promise.all([first, second]);
      results.map(({ summary }) => summary.created).should.eql([2, 0]);
    });

    describe('while another machine creates the folder', () => {
      /** Another machine uploads the tree once the upload has listed, and before it creates anything. */
      function otherUploads(): void {
        let lists = 0;
        const until = async (): Promise<void> => {
          if (++lists < 2) return;
          const id = await fixture.drive.files.addFolder(name);
          await writeDrive(fixture.drive, await fixture.drive.files.addFolder('deep', id), TREE);
          fixture.drive.requests.clear();
        };
        fixture.drive.faults.add({ kind: 'delay', until, times: 2, match: { path: /files$/ } });
      }

      it('an upload compares with what the other machine has uploaded', async () => {
        otherUploads();
        const { summary, changes } = await up();
        summary.should.containEql({ created: 0, unchanged: 2 });
        changes.should.eql([]);
        writes().should.equal(0);
      });

      it('a conflict with what the other machine has uploaded changes nothing', async () => {
        otherUploads();
        const run = up({ localPath: fixture.path('d'), extra: 'delete', maxRemovals: 0 });
        await rejected(run, 'conflict', 'conflict_sync_removals');
        writes().should.equal(0);
      });
    });
  });
}

describe('an upload to a path that does not exist, with a service that cannot create folders', () => {
  const disk = useDisk();

  it('fails before anything is written', async () => {
    const service = await startMinimalService({ token: TOKEN });
    const env = createTestClient(service.url, {
      service: { can: CAPABILITIES.custom, folderMimeType: MINIMAL_FOLDER },
    });
    await writeDisk(disk('folder'), TREE);
    const folderPath = { path: '/new', createMissing: true };
    const folders = { localPath: disk('folder'), folderId: undefined, folderPath };
    const run = env.client.sync({ ...SYNC_DEFAULTS, ...folders, direction: 'up' });
    const { params } = await rejected(run, 'not_configured', 'not_configured_sync_folders');
    params.should.containEql({ name: 'new' });
    [...service.files.values()].filter(({ name }) => name !== '').should.eql([]);
    env.close();
    await service.close();
  });
});
