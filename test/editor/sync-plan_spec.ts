/** The plan in the dialog of sync folder in the real editor, with the local drive as the service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { writeTree } from '../support/archive/tree';
import { editorFixture } from '../support/editor/editor-fixture';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';

describe('plan in the dialog of sync folder', () => {
  let drive: LocalDrive;
  let disk: string;
  const planRequests: string[] = [];
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    await drive.files.addFolder('Backups');
    disk = await mkdtemp(path.join(tmpdir(), 'sync-plan-'));
    await writeTree(disk, { 'new.txt': 'hello', 'deep/<b>': '', 'left.out': 'x', link: '-> new.txt' });
  });
  after(() => drive?.close());
  after(() => rm(disk, { recursive: true, force: true }));
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      id: 'account',
      type: 'cloud-drive-account',
      ...customAccount(drive.url),
      credentials: { ...CREDENTIALS },
    },
    { id: 'sync', type: 'cloud-drive-sync', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
  ]);
  before(() =>
    fixture.editor.page.on('request', (request) => {
      if (request.url().endsWith('/plan')) planRequests.push(request.url());
    }),
  );
  beforeEach(async () => {
    planRequests.length = 0;
    await fixture.editor.openNode('sync');
    await fixture.editor.openSections();
  });
  afterEach(() => fixture.editor.closeDialog('#node-dialog-cancel'));

  const text = (selector: string) => fixture.editor.page.locator(selector);
  const result = () => text('#cloud-drive-test-result');
  const example = (label: string) => fixture.editor.page.getByLabel(label);
  const start = () => text('#cloud-drive-test-start').click();

  it('the plan asks for each missing example, sends no request without it, and lists the changes', async () => {
    const { editor } = fixture;
    await editor.field('exclude').fill('*.out');
    await editor.setTyped('localPath', { type: 'str', value: disk });
    should(await example('Example path').isVisible()).be.false();
    await editor.setTyped('localPath', { type: 'msg', value: 'filename' });
    await editor.setTyped('folder', { type: 'env', value: 'FOLDER' });
    await start();
    await result().getByText('“Example path” is empty. Enter an example.').waitFor();
    await example('Example path').fill(disk);
    await example('Example folder').fill(' ');
    await start();
    await result().getByText('“Example folder” is empty. Enter an example.').waitFor();
    should(await example('Example folder').evaluate((field) => field === document.activeElement)).be.true();
    planRequests.should.eql([]);
    await example('Example folder').fill('/Backups');
    await start();
    await result().getByText('To transfer: 5 bytes. Nothing was changed.').waitFor();
    planRequests.should.have.length(1);
    (await result().locator('.cloud-drive-counts').innerText()).should.startWith('2');
    (await result().locator('ol').getByRole('listitem').allInnerTexts())
      .map((text) => text.trim().replace(/\s+/g, ' '))
      .sort()
      .should.eql(['deep/<b>', 'link symbolic link', 'new.txt']);
    (await text('#dialog-form').evaluate((form) => form.scrollWidth - form.clientWidth)).should.equal(0);
  });

  it('the plan disappears if a setting changes that affects it, and no sooner', async () => {
    const { editor } = fixture;
    await editor.setTyped('localPath', { type: 'str', value: disk });
    await editor.setTyped('folder', { type: 'msg', value: 'payload' });
    await example('Example folder').fill('/Backups');
    for (const change of [
      () => editor.setTyped('folder', { type: 'str', value: '/Backups/new' }),
      () => editor.field('direction').selectOption('down'),
      () => editor.field('direction').selectOption('up'),
      () => editor.field('exclude').fill('*.tmp'),
      () => editor.setTyped('folder', { type: 'msg', value: 'payload' }),
      () => example('Example folder').fill('/Backups/other'),
    ]) {
      await start();
      await result().locator('.cloud-drive-counts, .cloud-drive-bad').first().waitFor();
      await editor.field('name').fill('renamed');
      await editor.field('dryRun').click();
      should(await result().innerText()).not.equal('', change.toString());
      await change();
      should(await result().innerText()).equal('', change.toString());
    }
  });
});
