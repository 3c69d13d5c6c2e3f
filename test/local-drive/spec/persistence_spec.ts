/** Data on disk survives a restart and a killed process. */
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import 'should';
import { startLocalDrive, type LocalDrive } from '../index';
import { call, temporaryFolder, TOKEN } from './drive-fixture';

describe('local drive: data on disk', () => {
  let dataDir = '';
  let drive: LocalDrive | undefined;
  beforeEach(async () => {
    dataDir = await temporaryFolder();
  });
  afterEach(async () => {
    await drive?.close();
  });
  const start = async (): Promise<LocalDrive> => {
    await drive?.close();
    drive = await startLocalDrive({ dataDir, token: TOKEN, refreshToken: 'r' });
    return drive;
  };

  it('files, contents, parents and changes survive a restart', async () => {
    let running = await start();
    const folder = await running.files.addFolder('f');
    const gone = await running.files.add({ name: 'gone', parent: folder });
    const kept = await running.files.add({ name: 'kept', parent: folder, content: 'bytes' });
    await call(running.url, 'PATCH', `/drive/v3/files/${kept}`, { json: { name: 'renamed' } });
    await call(running.url, 'DELETE', `/drive/v3/files/${gone}`);
    const before = (await call(running.url, 'GET', '/drive/v3/changes?pageToken=1&fields=*')).json;
    const root = running.files.rootId;
    running = await start();
    running.files.rootId.should.equal(root);
    running.files.names(folder).should.deepEqual(['renamed']);
    (await running.files.contentOf(kept)).toString().should.equal('bytes');
    const after = (await call(running.url, 'GET', '/drive/v3/changes?pageToken=1&fields=*')).json;
    const withoutLinks = (text: string) => text.replace(/http:\/\/127[^/]*/g, '');
    withoutLinks(JSON.stringify(after)).should.equal(withoutLinks(JSON.stringify(before)));
    const usage = await call(running.url, 'GET', '/drive/v3/about?fields=storageQuota/usage');
    String(usage.json.storageQuota.usage).should.equal('5');
  });

  it('issued tokens stay valid after a restart without being stored', async () => {
    const form = {
      client_id: 'local-client',
      client_secret: 'local-secret',
      grant_type: 'refresh_token',
      refresh_token: 'r',
    };
    const token = (
      (await call((await start()).url, 'POST', '/token', { form })).json as { access_token: string }
    ).access_token;
    const { url } = await start();
    (await call(url, 'GET', '/drive/v3/files', { token })).status.should.equal(200);
    (await readFile(join(dataDir, 'oauth.json'), 'utf8')).should.not.containEql(token);
  });

  it('a truncated last line and unreferenced content are dropped', async () => {
    let running = await start();
    await running.files.add({ name: 'whole', content: 'x' });
    await running.close();
    await appendFile(join(dataDir, 'files.jsonl'), '{"file":{"id":"torn","na');
    await writeFile(join(dataDir, 'content', 'orphan'), 'x');
    running = await start();
    running.files.names('root').should.deepEqual(['whole']);
    (await readdir(join(dataDir, 'content'))).should.have.length(1);
    await running.files.add({ name: 'next' });
    running = await start();
    running.files.names('root').should.deepEqual(['whole', 'next']);
  });

  it('a damaged journal is reported', async () => {
    const running = await start();
    await running.files.add({ name: 'a' });
    await running.close();
    drive = undefined;
    const path = join(dataDir, 'files.jsonl');
    await writeFile(path, `nonsense\n${await readFile(path, 'utf8')}`);
    await startLocalDrive({ dataDir }).should.be.rejectedWith(/damaged/);
  });

  it('a journal with many outdated lines is rewritten', async () => {
    let running = await start();
    const id = await running.files.add({ name: 'busy' });
    await call(running.url, 'PATCH', `/drive/v3/files/${id}`, { json: { starred: true } });
    for (let turn = 0; turn < 600; turn++)
      await running.files.remove(await running.files.add({ name: 'gone' }));
    running = await start();
    const lines = (await readFile(join(dataDir, 'files.jsonl'), 'utf8')).trim().split('\n');
    // The two files, and the removals, which are changes.
    lines.should.have.length(2 + 600);
    await running.files.add({ name: 'later' });
    running = await start();
    running.files.names('root').should.deepEqual(['busy', 'later']);
    Number(running.files.find(id)?.version).should.equal(2);
  });

  it('close removes a temporary data folder', async () => {
    const own = await startLocalDrive();
    await own.close();
    await readdir(own.dataDir).should.be.rejectedWith({ code: 'ENOENT' });
  });
});
