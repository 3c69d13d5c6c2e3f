/** Examples of complete tasks, imported into a real Node-RED and run with the local drive. */
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import should from 'should';
import { ACCESS_TOKEN } from '../support/node-red/account';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples of complete tasks', () => {
  const of = exampleFixture();

  it('restore-newest downloads the newest archive by date and number in the name, not by modification time', async () => {
    const backups = await of.drive.files.addFolder('pi', await of.drive.files.addFolder('Backups'));
    for (const [name, changed] of [
      ['archive-2026-02-10_0230-0041.tar.gz', 5],
      ['archive-2026-02-11_0230-0042.tar.gz', 1],
      ['archive-2026-02-11_0230-0043.tar.gz', 1],
      ['archive-2026-01-31_0230-0040.tar.gz', 7],
      ['archive-of-old.tar.gz', 8],
      ['notes.txt', 9],
    ] as const) {
      const modifiedTime = Date.UTC(2026, 2, changed);
      await of.drive.files.add({ name, parent: backups, content: `this is ${name}`, modifiedTime });
    }
    await of.examples.deploy('restore-newest', of.drive.url);
    await of.examples.pressInject('restore-newest');
    const { payload } = await of.examples.debugMessage('restore-newest', 'restored to');
    const newest = 'archive-2026-02-11_0230-0043.tar.gz';
    should(payload).equal(path.join(of.folder, newest));
    (await readFile(String(payload), 'utf8')).should.equal(`this is ${newest}`);
  });

  it('restore-newest reports that there is no archive', async () => {
    await of.drive.files.addFolder('pi', await of.drive.files.addFolder('Backups'));
    await of.examples.deploy('restore-newest', of.drive.url);
    await of.examples.pressInject('restore-newest');
    const { error } = await of.examples.debugMessage('restore-newest', 'what went wrong');
    should(error)
      .have.property('message')
      .match(/no backup in that folder/);
  });

  it('photo-inbox uploads new local files to folders by year and month', async () => {
    await of.drive.files.addFolder('Inbox');
    await of.examples.deploy('photo-inbox', of.drive.url);
    const isLooking = () => of.drive.requests.all.some(({ path: where }) => where.endsWith('/changes'));
    await of.drive.traffic.until(isLooking);
    await of.drive.files.add({ name: 'list.txt', parent: of.idAt('Inbox'), content: 'no picture' });
    await of.examples.pressInject('photo-inbox');
    const { payload } = await of.examples.debugMessage('photo-inbox', 'filed');
    should(payload).have.property('name', 'photo.jpg');
    const [year = '', month = ''] = new Date().toISOString().split('-');
    of.namesIn(of.idAt('Photos', year, month)).should.eql(['photo.jpg']);
    of.namesIn(of.idAt('Inbox')).should.eql(['list.txt']);
    (await readFile(path.join(of.folder, 'photo.jpg'), 'utf8')).should.equal('not really a photo');
  });

  it('camera-snapshots uploads images to a folder per day, but no error page', async () => {
    let status = 200;
    const camera = http
      .createServer((_request, response) => response.writeHead(status).end('a picture'))
      .listen(0, '127.0.0.1');
    await new Promise((resolve) => camera.once('listening', resolve));
    const { port } = camera.address() as AddressInfo;
    const paths = { 'http://camera.local': `http://127.0.0.1:${port}` };
    await of.examples.deploy('camera-snapshots', of.drive.url, paths);
    await of.examples.pressInject('camera-snapshots');
    const { payload } = await of.examples.debugMessage('camera-snapshots', 'stored');
    const { id, name } = payload as { id: string; name: string };
    name.should.match(/^\d\d-\d\d-\d\d\.jpg$/);
    (await of.drive.files.contentOf(id)).toString().should.equal('a picture');
    const [day = ''] = of.namesIn(of.idAt('Camera'));
    day.should.match(/^\d{4}-\d\d-\d\d$/);
    status = 503;
    await of.examples.pressInject('camera-snapshots');
    const { error } = await of.examples.debugMessage('camera-snapshots', 'what went wrong');
    should(error)
      .have.property('message')
      .match(/answered 503/);
    of.namesIn(of.idAt('Camera', day)).should.eql([name]);
    camera.close();
  });

  it('copy-folder uploads only new and changed files', async () => {
    const source = path.join(of.folder, 'documents');
    await mkdir(path.join(source, 'letters', '2026'), { recursive: true });
    const write = (name: string, text: string) => writeFile(path.join(source, name), text);
    await write('a.txt', 'a');
    await write('letters/2026/b.txt', 'b');
    await write('letters/2026/c.txt', 'c');
    await of.examples.deploy('copy-folder', of.drive.url, { '/home/pi/documents': source });
    const counts = async (run: number): Promise<unknown> => {
      await of.examples.pressInject('copy-folder');
      return (await of.examples.debugMessage('copy-folder', 'how many', run)).payload;
    };
    should(await counts(1)).eql({ changed: 3, same: 0 });
    await of.examples.debugMessage('copy-folder', 'sent', 3);
    const folder = of.idAt('Documents of the pi', 'letters', '2026');
    of.namesIn(folder).sort().should.eql(['b.txt', 'c.txt']);
    should(await counts(2)).eql({ changed: 0, same: 3 });

    await write('letters/2026/b.txt', 'B');
    await utimes(path.join(source, 'letters/2026/b.txt'), new Date(), Date.now() / 1_000 + 60);
    const id = of.idAt('Documents of the pi', 'letters', '2026', 'b.txt');
    should(await counts(3)).eql({ changed: 1, same: 2 });
    await of.examples.debugMessage('copy-folder', 'sent', 4);
    of.namesIn(folder).sort().should.eql(['b.txt', 'c.txt']);
    (await of.drive.files.contentOf(id)).toString().should.equal('B');
    should(await counts(4)).eql({ changed: 0, same: 3 });
  });
});

describe('example of an alert', () => {
  const of = exampleFixture({ quota: 1_000 });

  it('alert-drive-full reports once that the drive is nearly full, and once that there is space again', async () => {
    const id = await of.drive.files.add({ name: 'large', content: 'x'.repeat(950) });
    await of.examples.deploy('alert-drive-full', of.drive.url);
    const asked = () => of.drive.requests.to('GET', /\/about$/).length;
    for (const time of [1, 2]) {
      await of.examples.pressInject('alert-drive-full');
      await of.drive.traffic.until(() => asked() >= time);
    }
    const full = await of.examples.debugMessage('alert-drive-full', 'tell me');
    should(full.payload).match(/nearly full: 95.0 % are used/);
    await fetch(`${of.drive.url}/drive/v3/files/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
    });
    await of.examples.pressInject('alert-drive-full');
    const room = await of.examples.debugMessage('alert-drive-full', 'tell me', 2);
    should(room.payload).match(/room on the drive again: 0.0 % are used/);
  });
});
