/** Examples of complete tasks, imported into a real Node-RED and run with the local drive. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import should from 'should';
import { ACCESS_TOKEN } from '../support/node-red/account';
import { exampleFixture } from '../support/node-red/example-fixture';
import { at } from '../support/node-red/examples';

describe('examples of complete tasks', () => {
  const fixture = exampleFixture();

  it('restore-newest downloads the newest archive by date and number in the name, not by modification time', async () => {
    const backups = await fixture.drive.files.addFolder('pi', await fixture.drive.files.addFolder('Backups'));
    for (const [name, changed] of [
      ['documents-2026-02-10-0041.tar.gz', 5],
      ['documents-2026-02-11-0042.tar.gz', 1],
      ['documents-2026-02-11-0043.tar.gz', 1],
      ['documents-2026-01-31-0040.tar.gz', 7],
      ['documents-2026-02-12-0044.incomplete.tar.gz', 9],
      ['documents-of-old.tar.gz', 8],
      ['notes.txt', 9],
    ] as const) {
      const modifiedTime = Date.UTC(2026, 2, changed);
      await fixture.drive.files.add({ name, parent: backups, content: `this is ${name}`, modifiedTime });
    }
    await fixture.examples.deploy('restore-newest', fixture.drive.url);
    await fixture.examples.pressInject('restore-newest');
    const { payload } = await fixture.examples.debugMessage('restore-newest', 'saved as');
    const newest = 'documents-2026-02-11-0043.tar.gz';
    should(payload).equal(path.join(fixture.folder, newest));
    (await readFile(String(payload), 'utf8')).should.equal(`this is ${newest}`);
  });

  it('sheet-from-csv makes one Sheet a day, and gives it new content in a second run', async () => {
    const links: unknown[] = [];
    for (const [index, day] of ['2026-11-25', '2026-11-25', '2026-11-26'].entries()) {
      await fixture.examples.deploy('sheet-from-csv', fixture.drive.url, at(new Date(day)));
      await fixture.examples.pressInject('sheet-from-csv');
      const { payload } = await fixture.examples.debugMessage('sheet-from-csv', 'link', index + 1);
      links.push((payload as { webViewLink: string }).webViewLink);
    }
    should(links[0]).match(/\/spreadsheets\/d\//);
    should(links[1]).equal(links[0]);
    const sheets = fixture.drive.files.in(fixture.idAt('Reports'));
    sheets
      .map(({ name, mimeType }) => `${name}: ${mimeType}`)
      .sort()
      .should.eql(
        ['25', '26'].map((day) => `Temperatures 2026-11-${day}: application/vnd.google-apps.spreadsheet`),
      );
  });

  it('restore-newest reports that there is no archive', async () => {
    await fixture.drive.files.addFolder('pi', await fixture.drive.files.addFolder('Backups'));
    await fixture.examples.deploy('restore-newest', fixture.drive.url);
    await fixture.examples.pressInject('restore-newest');
    const { error } = await fixture.examples.debugMessage('restore-newest', 'error');
    should(error)
      .have.property('message')
      .match(/no archive in this folder/);
  });

  it('photo-inbox uploads new local files to folders by year and month', async () => {
    await fixture.drive.files.addFolder('Inbox');
    await fixture.examples.deploy('photo-inbox', fixture.drive.url);
    const hasPolled = () =>
      fixture.drive.requests.all.some(({ path: requested }) => requested.endsWith('/changes'));
    await fixture.drive.traffic.until(hasPolled);
    await fixture.drive.files.add({ name: 'list.txt', parent: fixture.idAt('Inbox'), content: 'no picture' });
    await fixture.examples.pressInject('photo-inbox');
    const { payload } = await fixture.examples.debugMessage('photo-inbox', 'moved');
    should(payload).have.property('name', 'photo.jpg');
    const { createdTime = 0 } = fixture.drive.files.find((payload as { id: string }).id) ?? {};
    const [year = '', month = ''] = new Date(createdTime).toISOString().split('-');
    fixture.namesIn(fixture.idAt('Photos', year, month)).should.eql(['photo.jpg']);
    fixture.namesIn(fixture.idAt('Inbox')).should.eql(['list.txt']);
    (await readFile(path.join(fixture.folder, 'photo.jpg'), 'utf8')).should.equal('not really a photo');
  });

  it('camera-snapshots uploads images to a folder per day, but no error page', async () => {
    let status = 200;
    const camera = http
      .createServer((_request, response) => response.writeHead(status).end('a picture'))
      .listen(0, '127.0.0.1');
    await new Promise((resolve) => camera.once('listening', resolve));
    const { port } = camera.address() as AddressInfo;
    const paths = { 'http://camera.local': `http://127.0.0.1:${port}` };
    await fixture.examples.deploy('camera-snapshots', fixture.drive.url, paths);
    await fixture.examples.pressInject('camera-snapshots');
    const { payload } = await fixture.examples.debugMessage('camera-snapshots', 'uploaded');
    const { id, name } = payload as { id: string; name: string };
    name.should.match(/^\d\d-\d\d-\d\d\.jpg$/);
    (await fixture.drive.files.contentOf(id)).toString().should.equal('a picture');
    const [day = ''] = fixture.namesIn(fixture.idAt('Camera'));
    day.should.match(/^\d{4}-\d\d-\d\d$/);
    status = 503;
    await fixture.examples.pressInject('camera-snapshots');
    const { error } = await fixture.examples.debugMessage('camera-snapshots', 'error');
    should(error)
      .have.property('message')
      .match(/responded with status 503/);
    fixture.namesIn(fixture.idAt('Camera', day)).should.eql([name]);
    camera.close();
  });
});

describe('example of an alert after failures', () => {
  const fixture = exampleFixture();

  it('alert-on-failure reports a missing folder once, a missing or old backup, and an ended sign-in', async () => {
    const name = 'alert-on-failure';
    await fixture.examples.deploy(name, fixture.drive.url);
    const alert = async (nth: number) => {
      await fixture.examples.pressInject(name);
      return fixture.examples.debugMessage(name, 'alert', nth);
    };
    should((await alert(1)).topic).equal('Google Drive: “newest archives” failed');
    // The same problem isn't reported again on that day.
    const lists = (): number => fixture.drive.requests.to('GET', /files$/).length;
    const press = async (before = lists()) => {
      await fixture.examples.pressInject(name);
      await fixture.drive.traffic.until(() => lists() > before);
    };
    await press();
    const folder = await fixture.drive.files.addFolder('pi', await fixture.drive.files.addFolder('Backups'));
    should(await alert(2)).containEql({ topic: 'Google Drive: no backup', payload: 'There is no backup.' });

    const add = (archive: string, hours: number) => {
      const createdTime = Date.now() - hours * 3_600_000;
      return fixture.drive.files.add({ name: archive, parent: folder, content: 'x', createdTime });
    };
    await add('documents-2026-11-20-0001.tar.gz', 37);
    await add('documents-2026-11-21-0002.incomplete.tar.gz', 1);
    should((await alert(3)).payload).equal('The last backup is 37 hours old.');

    await add('documents-2026-11-21-0003.tar.gz', 35);
    // Reports nothing: the ended sign-in sends the next alert.
    await press();
    fixture.drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    fixture.drive.expireAccessTokens();
    const signIn = await alert(4);
    should(signIn.topic).equal('Google Drive: sign in again');
    should(signIn.payload).match(/invalid_grant/);
  });
});

describe('example of an alert', () => {
  const fixture = exampleFixture({ quota: 1_000 });

  it('alert-drive-full reports once that the drive is nearly full, and once that there is space again', async () => {
    const id = await fixture.drive.files.add({ name: 'large', content: 'x'.repeat(950) });
    await fixture.examples.deploy('alert-drive-full', fixture.drive.url);
    const aboutRequests = () => fixture.drive.requests.to('GET', /\/about$/).length;
    for (const count of [1, 2]) {
      await fixture.examples.pressInject('alert-drive-full');
      await fixture.drive.traffic.until(() => aboutRequests() >= count);
    }
    const full = await fixture.examples.debugMessage('alert-drive-full', 'alert');
    should(full.payload).match(/almost full: 95.0 % used/);
    await fetch(`${fixture.drive.url}/drive/v3/files/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
    });
    await fixture.examples.pressInject('alert-drive-full');
    const room = await fixture.examples.debugMessage('alert-drive-full', 'alert', 2);
    should(room.payload).match(/has space again: 0.0 % used/);
  });

  it('empty-trash-when-full empties the trash only when the drive is nearly full', async () => {
    const trashed = await fixture.drive.files.add({ name: 'old', content: 'x'.repeat(400), trashed: true });
    await fixture.examples.deploy('empty-trash-when-full', fixture.drive.url);
    await fixture.examples.pressInject('empty-trash-when-full');
    await fixture.drive.traffic.until(() => fixture.drive.requests.to('GET', /\/about$/).length >= 1);
    await fixture.drive.files.add({ name: 'large', content: 'x'.repeat(550) });
    should(fixture.drive.files.find(trashed)).be.ok();
    await fixture.examples.pressInject('empty-trash-when-full');
    const { payload } = await fixture.examples.debugMessage('empty-trash-when-full', 'result');
    should(payload).deepEqual({ result: 'emptied' });
    should(fixture.drive.files.find(trashed)).be.undefined();
  });
});
