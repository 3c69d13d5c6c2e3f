/** Browsing and checking archives in the dialog of the restore node, in the real editor. */
import should from 'should';
import { AgeEncryption } from '../../src/backup/archive/age';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { writeTree } from '../support/archive/tree';
import { tarGz } from '../support/archive/tar-builder';
import { useDisk } from '../support/disk';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import type { DeployedNode } from '../support/node-red/node-red';
import { itLong } from '../support/run/long';

const PASSPHRASE = 'canary correct horse';
const ENTRIES = [
  { name: 'docs/', type: '5' },
  { name: 'docs/letters/', type: '5' },
  { name: 'docs/letters/a.txt', content: 'hello' },
  { name: 'docs/letters/b[1].txt', content: 'hi' },
  { name: 'docs/z.txt', content: 'zz' },
] as const;

describe('choosing what to restore from an archive', () => {
  let drive: LocalDrive;
  const disk = useDisk();
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    const parent = await drive.files.addFolder('Backups');
    const createdTime = Date.now() - 3_600_000;
    const add = (name: string, content: Buffer) =>
      drive.files.add({ name, parent, content, createdTime, modifiedTime: createdTime });
    await add('docs-2026-11-21-0001.tar.gz', tarGz(...ENTRIES));
    await add('docs-2026-11-22-0002.tar.gz', tarGz(...ENTRIES));
    await add('docs-2026-11-23-0003.incomplete.tar.gz', tarGz(ENTRIES[0]));
    const secret = await drive.files.addFolder('Secret');
    const encryption = await AgeEncryption.start({ passphrase: PASSPHRASE });
    const content = [encryption.header, ...encryption.encrypt(tarGz(...ENTRIES)), ...encryption.end()];
    await drive.files.add({ name: 'docs-0001.tar.gz.age', parent: secret, content: Buffer.concat(content) });
    await drive.files.addFolder('Empty');
  });
  after(() => drive?.close());
  const node = { type: 'cloud-drive-restore', z: 'tab', x: 300, wires: [[]], account: 'account' };
  const flow = (): DeployedNode[] => [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      id: 'account',
      type: 'cloud-drive-account',
      ...customAccount(drive.url),
      credentials: { ...CREDENTIALS },
    },
    { ...node, id: 'restore', y: 80 },
    { ...node, id: 'secret', y: 140, folder: '/Secret', credentials: { passphrase: PASSPHRASE } },
    { ...node, id: 'empty', y: 200, folder: '/Empty' },
  ];
  const fixture = editorFixture(flow);
  afterEach(async () => {
    const { page } = fixture.editor;
    if ((await page.locator('.cloud-drive-picker').count()) > 0) await closePicker();
    if ((await page.locator('#node-dialog-cancel').count()) > 0)
      await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  async function closePicker(): Promise<void> {
    await fixture.editor.page.locator('#node-dialog-cancel').click();
    await fixture.editor.page.locator('.cloud-drive-picker').waitFor({ state: 'detached' });
    await fixture.editor.page.locator('#cloud-drive-browse').waitFor();
  }
  async function browse(id: string): Promise<PickerPage> {
    const { editor } = fixture;
    await editor.openNode(id);
    await editor.page.locator('#cloud-drive-browse').click();
    const picker = new PickerPage(editor);
    await picker.area.waitFor();
    return picker;
  }
  const tick = (picker: PickerPage, name: string) => picker.row(name).locator('.cloud-drive-box').click();
  async function choose(picker: PickerPage): Promise<void> {
    await picker.okButton.click();
    await picker.area.waitFor({ state: 'detached' });
    await fixture.editor.page.locator('#cloud-drive-browse:focus').waitFor();
  }
  const include = () => fixture.editor.field('include').inputValue();
  const NEWEST = 'docs-2026-11-22-0002.tar.gz';
  const time = (picker: PickerPage) => picker.row(NEWEST).locator('time');
  const shownTime = (picker: PickerPage): Promise<string> => time(picker).innerText();
  /** @param timeZone by default the one of the browser */
  const timeOfNewest = (picker: PickerPage, timeZone?: string): Promise<string> =>
    time(picker).evaluate(
      (element: HTMLTimeElement, options) => new Date(element.dateTime).toLocaleString(undefined, options),
      { dateStyle: 'medium', timeStyle: 'short', timeZone } as const,
    );
  const OLDER = 'docs-2026-11-21-0001.tar.gz';

  it('the archives are listed newest first, with the selected one and incomplete ones marked', async () => {
    const picker = await browse('restore');
    await picker.row(NEWEST).waitFor();
    (await picker.rows.allInnerTexts())
      .map((text) => text.replace(/\s+/g, ' ').trim())
      .map((text) => text.replace(/ \d+ bytes.*/, ''))
      .should.eql([
        'Archives, newest first',
        'docs-2026-11-23-0003.incomplete.tar.gz incomplete',
        `${NEWEST} selected`,
        OLDER,
      ]);
    // There may be several archives of a day.
    (await shownTime(picker)).should.equal(await timeOfNewest(picker));
  });

  it('times are in the time zone of the server, in which the node reads a typed date', async () => {
    const { page } = fixture.editor;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const browser = await page.context().newCDPSession(page);
    const other = timeZone === 'Asia/Kolkata' ? 'Asia/Kathmandu' : 'Asia/Kolkata';
    await browser.send('Emulation.setTimezoneOverride', { timezoneId: other });
    try {
      const picker = await browse('restore');
      (await shownTime(picker)).should.equal(await timeOfNewest(picker, timeZone));
      (await shownTime(picker)).should.not.equal(await timeOfNewest(picker));
      await picker.area.getByText(`Times are in the server's time zone, ${timeZone}.`).waitFor();
    } finally {
      await browser.send('Emulation.setTimezoneOverride', { timezoneId: '' });
      await browser.detach();
    }
  });

  it('what is ticked in the selected archive becomes include, and nothing else changes', async () => {
    const picker = await browse('restore');
    await picker.expand(NEWEST, 'docs');
    await picker.expand('docs', 'letters');
    await tick(picker, 'letters');
    await picker.chosen.getByText(`${NEWEST}: docs/letters`).waitFor();
    (await picker.row('docs').getAttribute('aria-checked'))!.should.equal('mixed');
    await choose(picker);
    (await include()).should.equal('docs/letters');
    (await fixture.editor.field('which').inputValue()).should.equal('newest');
    should(await fixture.editor.field('include').isVisible()).be.true();
    // The ticks are there when it is opened again, and others join patterns that are no paths.
    await fixture.editor.field('include').fill('*.jpg\ndocs/letters');
    await fixture.editor.page.locator('#cloud-drive-browse').click();
    await picker.expand(NEWEST, 'docs');
    await picker.expand('docs', 'letters');
    (await picker.row('letters').getAttribute('aria-checked'))!.should.equal('true');
    await picker.expand('letters', 'a.txt');
    await tick(picker, 'a.txt');
    await choose(picker);
    (await include()).should.equal('*.jpg\ndocs/letters/b[[]1[]].txt');
  });

  itLong('another archive than the selected one is selected as a file', async () => {
    const picker = await browse('restore');
    await picker.expand(OLDER, 'docs');
    await tick(picker, 'docs');
    await choose(picker);
    (await include()).should.equal('/docs');
    (await fixture.editor.field('which').inputValue()).should.equal('file');
    const { type, value } = await fixture.editor.typed('select');
    should(drive.files.find(value)).have.property('name', OLDER);
    type.should.equal('drive');
    await fixture.editor.page.getByText(`/Backups/${OLDER}`).waitFor();
  });

  itLong('the keyboard alone opens an archive, ticks a file and chooses it', async () => {
    const picker = await browse('restore');
    const { keyboard } = fixture.editor.page;
    await picker.row(NEWEST).waitFor();
    await picker.tree.focus();
    const pressUntil = async (key: string, name: string) => {
      while ((await picker.row(name).getAttribute('aria-selected')) !== 'true') await keyboard.press(key);
    };
    await pressUntil('ArrowDown', NEWEST);
    await keyboard.press('ArrowRight');
    await picker.row('docs').waitFor();
    await pressUntil('ArrowDown', 'docs');
    await keyboard.press('ArrowRight');
    await picker.row('z.txt').waitFor();
    await pressUntil('ArrowDown', 'z.txt');
    await keyboard.press('Space');
    (await picker.row('z.txt').getAttribute('aria-checked'))!.should.equal('true');
    await keyboard.press('Enter');
    await picker.area.waitFor({ state: 'detached' });
    (await include()).should.equal('docs/z.txt');
  });

  itLong('an encrypted archive opens with the stored passphrase, and not with a wrong one', async () => {
    const { editor } = fixture;
    const picker = await browse('secret');
    await picker.expand('docs-0001.tar.gz.age', 'docs');
    await closePicker();
    await editor.openSections();
    await editor.field('passphrase').fill('wrong');
    await editor.page.locator('#cloud-drive-browse').click();
    await picker.row('docs-0001.tar.gz.age').click();
    await picker.area.getByText('The passphrase').waitFor();
    should(await editor.page.content()).not.containEql(PASSPHRASE);
  });

  itLong('a folder without archives, and one that only a message names, say so', async () => {
    const { editor } = fixture;
    const picker = await browse('empty');
    await picker.failure.getByText('This folder contains no archives').waitFor();
    await closePicker();
    await editor.setTyped('folder', { type: 'msg', value: 'folder' });
    await editor.page.locator('#cloud-drive-browse').click();
    await editor.page.getByText('known only when a message arrives').waitFor();
  });

  it('Check now shows what was checked, and the differences to a folder on disk', async () => {
    const { editor } = fixture;
    await writeTree(disk('docs'), { 'letters/a.txt': 'changed', 'letters/b[1].txt': 'hi', 'new.txt': 'x' });
    await editor.openNode('restore');
    await editor.openSections();
    const start = editor.page.locator('#cloud-drive-test-start');
    const result = editor.page.locator('#cloud-drive-test-result');
    await start.click();
    await result.getByText('No errors: 5 entries, 9 bytes').waitFor();
    await result.getByText(`${NEWEST}, `).waitFor();
    await editor.field('action').selectOption('check');
    await editor.openSections();
    await editor.field('compareWith').fill(disk('docs'));
    await start.click();
    await result.getByText('Missing on disk: 1').waitFor();
    const listed = async () =>
      (await result.getByRole('listitem').allInnerTexts()).map((text) => text.trim());
    const names = await listed();
    names.should.containEql('docs/z.txt');
    names.should.containEql('docs/new.txt');
    names.should.containEql('docs/letters/a.txt');
    await editor.field('maxAge').fill('0.5');
    await start.click();
    await result.getByText('The archive is too old').waitFor();
    for (const [which, hint] of [
      ['file', 'path such as /Backups/a.tar, or ID'],
      ['date', 'date such as 2026-11-22'],
      ['number', 'number such as 42'],
    ] as const) {
      await editor.field('which').selectOption(which);
      const example = editor.page.locator('#cloud-drive-example-select');
      should(await example.getAttribute('placeholder')).equal(hint);
    }
    await start.click();
    await result.getByText('Example selection').waitFor();
    await editor.page.getByLabel('Example selection').fill('1');
    await editor.field('maxAge').fill('0');
    await start.click();
    await result.getByText(`${OLDER}, `).waitFor();
  });

  it('Cancel ends a check and its requests', async () => {
    const { editor } = fixture;
    await editor.openNode('restore');
    await editor.openSections();
    let [release, reach, closed] = [(): void => undefined, (): void => undefined, (): void => undefined];
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const until = (): Promise<void> => (reach(), released);
    drive.faults.add({ kind: 'delay', until, match: { query: /alt=media/ } });
    await editor.page.route(/\/work\//, async (route) => {
      await route.continue();
      if (route.request().method() === 'DELETE') closed();
    });
    await editor.page.locator('#cloud-drive-test-start').click();
    await reached;
    await editor.page.locator('#cloud-drive-test-cancel').click();
    await isClosed;
    should(await editor.page.locator('#cloud-drive-test-result').innerText()).equal('');
    await editor.page.locator('#cloud-drive-test-start:focus').waitFor();
    release();
  });
});
