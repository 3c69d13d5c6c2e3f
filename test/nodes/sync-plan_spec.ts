/** The admin endpoint of the plan in the dialog of sync folder, against the local drive. */
import { readdir } from 'node:fs/promises';
import should from 'should';
import type { SyncPlanResponse } from '../../nodes/shared/contract/dialog-api';
import { writeTree } from '../support/archive/tree';
import { accountText } from '../support/languages';
import { useDisk } from '../support/disk';
import { ACCESS_TOKEN } from '../support/node-red/account';
import { type AdminCalls, type AdminResponse, helperAdmin } from '../support/node-red/account-admin';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { errorOf } from './account/admin-fixture';

describe('plan of sync folder', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  const disk = useDisk();
  let admin: AdminCalls;
  let close = (): void => undefined;
  let folder: string;
  let tests = 0;

  beforeEach(async () => {
    folder = await drive().files.addFolder(`Planned ${++tests}`);
    await drive().files.add({ name: 'extra.txt', parent: folder, content: 'extra' });
    await writeTree(disk('home'), { 'a.txt': 'hello', 'b/c.txt': 'world', 'link.txt': '-> a.txt' });
    await load([{ id: 'sync', type: 'cloud-drive-sync' }], { url: drive().url, service: 'google' });
    ({ admin, close } = await helperAdmin());
  });
  afterEach(() => close());

  const call = (settings: object, examples: object = {}): Promise<AdminResponse> =>
    admin.callNode('sync', 'POST', '/account/plan', { settings, examples });
  async function plan(settings: object, examples: object = {}): Promise<SyncPlanResponse> {
    const { status, body } = await call(settings, examples);
    should(status).equal(200, JSON.stringify(body));
    return body as unknown as SyncPlanResponse;
  }
  const typed = (): object => ({
    ...{ localPath: disk('home'), localPathType: 'str', folder, folderType: 'drive' },
  });

  it('the plan counts what a run would do, lists the first changes, and changes nothing', async () => {
    const settings = { ...typed(), direction: 'up', extra: 'trash', maxRemovals: '5', dryRun: false };
    const { first, ...counts } = await plan(settings);
    counts.should.eql({
      ...{
        created: 2,
        updated: 0,
        unchanged: 0,
        removed: 1,
        skipped: 1,
        failed: 0,
        bytes: 10,
        changes: 4,
        isDuringRun: false,
      },
    });
    const by = (path: string): object | undefined => first.find((change) => change.path === path);
    should(by('a.txt')).eql({ path: 'a.txt', action: 'created' });
    should(by('extra.txt')).eql({ path: 'extra.txt', action: 'removed' });
    should(by('link.txt')).eql({ path: 'link.txt', action: 'skipped', reason: 'symlink' });
    drive()
      .requests.all.filter(({ method, path }) => method !== 'GET' && path.includes('/drive/v3/'))
      .should.be.empty();
  });

  it('the plan lists removed files first and skipped ones last', async () => {
    const links = Array.from({ length: 60 }, (_, index) => [`link ${index}`, '-> a.txt'] as const);
    await writeTree(disk('home'), { ...Object.fromEntries(links), 'changed.txt': 'longer' });
    await drive().files.add({ name: 'changed.txt', parent: folder, content: 'x' });
    const { first, changes } = await plan({ ...typed(), extra: 'trash' });
    should(changes).equal(65);
    first.should.have.length(50);
    first
      .slice(0, 5)
      .map(({ action }) => action)
      .should.eql(['removed', 'updated', 'created', 'created', 'skipped']);
  });

  it('the plan of a download reads the folder on the drive and doesn’t create the one on disk', async () => {
    const settings = { ...typed(), localPath: disk('new'), direction: 'down' };
    should(await plan(settings)).containDeep({ created: 1, removed: 0, bytes: 5 });
    (await readdir(disk())).should.eql(['home']);
  });

  it('the plan uses examples for values that a message would supply', async () => {
    const settings = { localPath: 'payload', localPathType: 'msg', folder: 'FOLDER', folderType: 'env' };
    const found = await plan(settings, { localPath: disk('home'), folder: `/Planned ${tests}` });
    should(found).containEql({ created: 2, removed: 0 });
  });

  it('the plan rejects an empty or missing example before it sends a request', async () => {
    const fromMessage = {
      localPath: { localPath: 'payload', localPathType: 'msg' },
      folder: { folder: 'FOLDER', folderType: 'env' },
    };
    const { length } = drive().requests.all;
    for (const [property, settings] of Object.entries(fromMessage)) {
      for (const examples of [{}, { [property]: '' }, { [property]: ' ' }]) {
        const response = await call({ ...typed(), ...settings }, examples);
        errorOf(response).should.eql([400, 'invalid_input'], JSON.stringify(examples));
        const { message } = response.body?.['error'] as { message: string };
        message.should.match(accountText('errors.invalid_input_no_example')).startWith(property);
      }
    }
    drive().requests.all.should.have.length(length);
  });

  it('the plan treats a folder on the drive as empty if a run would create it', async () => {
    const missing = { ...typed(), folder: `/Planned ${tests}/new`, folderType: 'str' };
    should(await plan({ ...missing, createFolders: true })).containEql({ created: 2 });
    errorOf(await call({ ...missing, createFolders: false })).should.eql([404, 'not_found']);
  });

  it('the plan reports the errors of a run', async () => {
    for (const [settings, status, code] of [
      [{ localPath: '', localPathType: 'str' }, 400, 'invalid_input'],
      [{ localPath: disk('nowhere') }, 400, 'local_file'],
      [{ folder: 'no-such-id' }, 404, 'not_found'],
      [{ extra: 'trash', maxRemovals: '0' }, 409, 'conflict'],
      [{ exclude: '[z-a]' }, 400, 'invalid_input'],
      [{ localPath: 7 }, 400, 'local_file'],
      [{ localPath: [disk('home')] }, 400, 'invalid_input'],
    ] as const) {
      errorOf(await call({ ...typed(), ...settings })).should.eql([status, code], JSON.stringify(settings));
    }
  });
});
