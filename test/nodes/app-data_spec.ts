/** Accounts whose scope allows only the app data folder, which is then the root for every node. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const SCOPE = 'https://www.googleapis.com/auth/drive.appdata';
const FOLDER = 'appDataFolder';

describe('nodes with an account that has only the app data folder', () => {
  useNodeRed();
  const drive = useDrive({ scope: SCOPE });
  const typed = (property: string, value: string): object => ({
    [property]: value,
    [`${property}Type`]: 'str',
  });
  const node = (type: string, more: object = {}): FlowNode => ({
    id: 'n',
    type: `cloud-drive-${type}`,
    ...more,
  });
  const names = (files: unknown): string[] => (files as { name: string }[]).map(({ name }) => name);
  let folder: string;

  before(async () => {
    await drive().files.add({ name: 'on the drive', content: 'x' });
    folder = await drive().files.addFolder('backups', FOLDER);
    await drive().files.add({ name: 'in the folder', parent: folder, content: 'x' });
  });

  for (const service of ['custom', 'google'] as const) {
    describe(`at a ${service} service`, () => {
      const run = async (testedNode: FlowNode, payload: unknown = 'x') => {
        const account = { scope: `openid ${SCOPE}` };
        await helper.unload();
        const flow = await load([testedNode], { url: drive().url, service, account });
        return flow.run('n', { payload });
      };

      it('list-folders and search-files use the app data folder if the folder is empty', async () => {
        names(passed(await run(node('list-folders', typed('folder', '')))).payload).should.containEql(
          'backups',
        );
        const everywhere = { ...typed('folder', ''), ...typed('text', '') };
        const found = names(passed(await run(node('search-files', everywhere))).payload);
        found.should.containEql('in the folder');
        found.should.not.containEql('on the drive');
        const deep = { ...typed('folder', FOLDER), ...typed('text', 'in'), recursive: true };
        names(passed(await run(node('search-files', deep))).payload).should.eql(['in the folder']);
        fileRequests(drive())
          .filter((request) => request.startsWith('GET /drive/v3/files?'))
          .every((request) => request.includes(`spaces=${FOLDER}`))
          .should.equal(true);
      });

      it('upload and create-folder use the app data folder, and paths start in it', async () => {
        const upload = { ...typed('targetName', `${service}.txt`), ifExists: 'replace' };
        const file = passed(await run(node('upload', upload))).payload as { id: string };
        names(drive().files.in(FOLDER)).should.containEql(`${service}.txt`);
        should(passed(await run(node('upload', upload))).payload).have.property('id', file.id);
        const path = { ...typed('folder', `/${service}/deep`), createFolders: true };
        passed(await run(node('upload', { ...upload, ...path })));
        const created = passed(await run(node('create-folder'), `${service} created`)).payload as {
          id: string;
        };
        should(drive().files.find(created.id)?.parent).equal(drive().files.find(FOLDER)?.id);
        const downloaded = passed(await run(node('download'), `/${service}/deep/${service}.txt`)).payload;
        String(downloaded).should.equal('x');
        passed(await run(node('delete'), file.id));
        should(drive().files.find(file.id)).equal(undefined);
      });

      it('delete never deletes the app data folder, and reports that it has no trash', async () => {
        for (const id of [FOLDER, drive().files.find(FOLDER)!.id]) {
          failed(await run(node('delete', { allowFolders: true }), id), 'invalid_input');
        }
        const trash = node('delete', { mode: 'trash', allowFolders: true });
        failed(await run(trash, folder), 'permission_denied', 'no trash');
        should(drive().files.find(folder)).match({ trashed: false });
      });
    });
  }
});
