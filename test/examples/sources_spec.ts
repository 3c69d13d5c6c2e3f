/** Examples that upload what arrives in Node-RED, or read documents, imported into a real Node-RED. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { exampleFixture } from '../support/node-red/example-fixture';
import { at } from '../support/node-red/examples';

/** The examples write local dates. */
const NEW_YEAR = at(new Date(2026, 0, 1, 0, 10));

describe('examples with content from elsewhere', () => {
  const fixture = exampleFixture();

  it('sensor-csv appends readings to the file of the day, and uploads and replaces it', async () => {
    await fixture.examples.deploy('sensor-csv', fixture.drive.url, NEW_YEAR);
    const name = 'sensor-2026-01-01.csv';
    for (const readings of [1, 2]) {
      await fixture.examples.pressInject('sensor-csv');
      await fixture.examples.debugMessage('sensor-csv', 'line', readings);
      await fixture.examples.pressInject('sensor-csv', 2);
      const { payload } = await fixture.examples.debugMessage('sensor-csv', 'uploaded', readings);
      should(payload).have.property('name', name);
    }
    fixture.namesIn(fixture.idAt('Sensors')).should.eql([name]);
    const csv = (await fixture.drive.files.contentOf(fixture.idAt('Sensors', name))).toString();
    csv.should.equal(await readFile(path.join(fixture.folder, name), 'utf8'));
    csv.should.match(/^time,temperature,humidity\n(?:[\d-]+ [\d:]+,[\d.]+,[\d.]+\n){2}$/);
  });

  it('sensor-csv uploads the file of the previous day at night', async () => {
    const name = 'sensor-2025-12-31.csv';
    await writeFile(path.join(fixture.folder, name), 'time,temperature\n');
    await fixture.examples.deploy('sensor-csv', fixture.drive.url, NEW_YEAR);
    await fixture.examples.pressInject('sensor-csv', 1);
    await fixture.examples.debugMessage('sensor-csv', 'uploaded');
    fixture.namesIn(fixture.idAt('Sensors')).should.eql([name]);
  });

  it('sheet-as-csv sends the rows of a sheet as objects', async () => {
    const mimeType = 'application/vnd.google-apps.spreadsheet';
    await fixture.drive.files.add({
      name: 'Budget',
      mimeType,
      content: 'item,amount\n"rent, heating",900\nfood,300\n',
    });
    await fixture.examples.deploy('sheet-as-csv', fixture.drive.url);
    await fixture.examples.pressInject('sheet-as-csv');
    const { payload } = await fixture.examples.debugMessage('sheet-as-csv', 'sheet');
    should(payload).eql([
      { item: 'rent, heating', amount: 900 },
      { item: 'food', amount: 300 },
    ]);
  });

  it('watch-local-folder uploads a new file, and replaces its content when it changes', async () => {
    const outbox = path.join(fixture.folder, 'outbox');
    await mkdir(outbox);
    await fixture.examples.deploy('watch-local-folder', fixture.drive.url, { '/home/pi/outbox': outbox });
    await fixture.examples.pressInject('watch-local-folder');
    const first = await fixture.examples.debugMessage('watch-local-folder', 'uploaded');
    should(first.payload).have.property('name', 'hello.txt');
    await writeFile(path.join(outbox, 'hello.txt'), 'changed');
    const second = await fixture.examples.debugMessage('watch-local-folder', 'uploaded', 2);
    should(second.payload).have.property('id', (first.payload as { id: string }).id);
    fixture.namesIn(fixture.idAt('Outbox')).should.eql(['hello.txt']);
    (await fixture.drive.files.contentOf(fixture.idAt('Outbox', 'hello.txt')))
      .toString()
      .should.equal('changed');
  });

  it('webhook-attachment uploads the files of a form, and responds with their names', async () => {
    await fixture.examples.deploy('webhook-attachment', fixture.drive.url);
    const page = await fixture.nodeRed.request('/attachments', { headers: { Accept: 'text/html' } });
    (await page.text()).should.match(/<form method="post" enctype="multipart\/form-data">/);

    const form = new FormData();
    form.append('file', new Blob(['one']), 'Übersicht.txt');
    form.append('file', new Blob(['two']), 'two.txt');
    const response = await fixture.nodeRed.request('/attachments', { method: 'POST', body: form });
    should(await response.json()).eql({ uploaded: ['Übersicht.txt', 'two.txt'] });
    fixture.namesIn(fixture.idAt('Attachments')).should.eql(['Übersicht.txt', 'two.txt']);
    (await fixture.drive.files.contentOf(fixture.idAt('Attachments', 'two.txt')))
      .toString()
      .should.equal('two');

    await fixture.examples.pressInject('webhook-attachment');
    should((await fixture.examples.debugMessage('webhook-attachment', 'uploaded', 2)).payload).eql({
      uploaded: ['hello.txt'],
    });
  });

  it('webhook-attachment responds with the error if an upload fails', async () => {
    await fixture.examples.deploy('webhook-attachment', fixture.drive.url);
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'storageQuotaExceeded',
      status: 403,
      match: { path: /upload/ },
    });
    const form = new FormData();
    form.append('file', new Blob(['one']), 'one.txt');
    const response = await fixture.nodeRed.request('/attachments', { method: 'POST', body: form });
    response.status.should.equal(500);
    const { error } = (await response.json()) as { error: string };
    error.should.match(/drive is full/);
  });
});
