/** Shared drives by name, shared and starred files in the real editor, with the local drive as Google. */
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import {
  ACCESS_TOKEN,
  CLIENT,
  CREDENTIALS,
  REFRESH_TOKEN,
  redirectedPresetEnv,
} from '../support/node-red/account';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { accountText } from '../support/languages';
import type { DeployedNode } from '../support/node-red/node-red';
import { itLong } from '../support/run/long';

const SHARED = { sharedBy: 'ana@example.org', sharedRole: 'writer' } as const;

const DENIED = { kind: 'error', reason: 'insufficientPermissions', match: { path: /\/drives$/ } } as const;

describe('places on Google Drive', () => {
  let drive: LocalDrive;
  let team: string;
  let budget: string;
  let report: string;

  before(async () => {
    drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      token: ACCESS_TOKEN,
      refreshToken: REFRESH_TOKEN,
    });
    const { files } = drive;
    const starred = await files.add({
      name: 'mine.txt',
      parent: await files.addFolder('Notes'),
      content: '',
    });
    await fetch(`${drive.url}/drive/v3/files/${starred}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
      body: '{"starred":true}',
    });
    report = await files.add({ name: 'Report.xlsx', content: '', ...SHARED });
    team = await files.addSharedDrive('Team <b>');
    budget = await files.addFolder('Budget', team);
    await files.add({ name: 'plan.txt', parent: budget, content: '' });
    await files.add({ name: 'plan of others.txt', parent: await files.addSharedDrive('Other'), content: '' });
  });
  const fixture = editorFixture(flow, { env: () => redirectedPresetEnv(drive.url) });
  beforeEach(() => drive.faults.clear());
  after(() => drive?.close());

  function flow(): DeployedNode[] {
    const account = { id: 'account', type: 'cloud-drive-account', name: 'Drive', service: 'google' };
    const node = { z: 'tab', account: 'account', x: 300, wires: [[]] };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      { ...account, credentials: { ...CREDENTIALS } },
      { ...node, id: 'download', type: 'cloud-drive-download', y: 60 },
      { ...node, id: 'upload', type: 'cloud-drive-upload', y: 120 },
      { ...node, id: 'watch', type: 'cloud-drive-watch', y: 180 },
    ];
  }

  const picker = (): PickerPage => new PickerPage(fixture.editor);
  const place = () => picker().area.getByRole('combobox', { name: accountText('browse.place') });
  const placeNames = async (): Promise<string[]> => {
    await place().locator('optgroup option').first().waitFor({ state: 'attached' });
    return place().locator('option').allInnerTexts();
  };
  async function openPicker(node: string, property: 'file' | 'folder'): Promise<void> {
    await fixture.editor.openNode(node);
    await picker().open(property);
    await picker().row('My Drive').waitFor();
  }
  async function save(node: string, property: 'file' | 'folder'): Promise<Record<string, unknown>> {
    await picker().choose(property);
    await fixture.editor.closeDialog('#node-dialog-ok');
    return fixture.editor.exported(node);
  }

  it('the picker offers the places with the shared drives by name, and picks a shared file', async () => {
    await openPicker('download', 'file');
    (await placeNames()).should.eql(['My Drive', 'Shared with me', 'Starred', 'Team <b>', 'Other']);
    await place().selectOption('Shared with me');
    await picker().row('Report.xlsx').click();
    (await picker().chosen.innerText()).should.equal('Selected: Shared with me/Report.xlsx');
    await picker().search.fill('nothing of this');
    await picker().rows.getByText('No file or folder matches.').waitFor();
    await picker().search.fill('report');
    await picker().row('Report.xlsx').click();
    const saved = { file: report, fileType: 'drive', filePath: 'Shared with me/Report.xlsx' };
    (await save('download', 'file')).should.containEql(saved);
  });

  itLong('a starred file shows its own path', async () => {
    await openPicker('download', 'file');
    await place().selectOption('Starred');
    await picker().row('mine.txt').click();
    await picker().chosen.getByText('/Notes/mine.txt').waitFor();
    await picker().cancel('file');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('a folder of another shared drive is created and picked with the keyboard, and searched there only', async () => {
    await openPicker('upload', 'folder');
    await placeNames();
    await place().focus();
    // Native selects find an option by the beginning of its text.
    await fixture.editor.page.keyboard.press('T');
    await picker().row('Budget').waitFor();
    await picker().search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown']) await fixture.editor.page.keyboard.press(key);
    (await picker().chosen.innerText()).should.equal('Selected: Team <b>/Budget');
    await picker().area.getByRole('button', { name: 'New folder' }).click();
    await picker().area.getByLabel('Folder name').fill('2027');
    await picker().area.getByLabel('Folder name').press('Enter');
    await picker().chosen.getByText('Team <b>/Budget/2027').waitFor();
    const created = drive.files.in(budget).find(({ name }) => name === '2027');
    const saved = { folder: created?.id, folderType: 'drive', folderPath: 'Team <b>/Budget/2027' };
    (await save('upload', 'folder')).should.containEql(saved);
    await openPicker('download', 'file');
    await placeNames();
    await place().selectOption('Team <b>');
    await picker().area.getByRole('searchbox', { name: 'Search “Team <b>” by name' }).fill('plan');
    await picker().row('plan.txt').click();
    await picker().chosen.getByText('Team <b>/Budget/plan.txt').waitFor();
    (await picker().rows.count()).should.equal(2);
    await picker().cancel('file');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  itLong('a list offers no new folder until a folder in it is selected', async () => {
    await openPicker('upload', 'folder');
    const create = picker().area.getByRole('button', { name: 'New folder' });
    (await create.isDisabled()).should.equal(false);
    await place().selectOption('Shared with me');
    await picker().rows.getByText('No folders here').waitFor();
    (await create.isDisabled()).should.equal(true);
    await picker().cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('the picker says which access shared drives require, and offers the rest', async () => {
    drive.faults.add({ ...DENIED, times: Infinity });
    await openPicker('download', 'file');
    const names = await placeNames();
    names.should.eql(['My Drive', 'Shared with me', 'Starred', 'Requires the access “Entire drive”']);
    await picker().cancel('file');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('a watch offers only the drive whose changes its account receives', async () => {
    await openPicker('watch', 'folder');
    await picker().row('Notes').waitFor();
    (await place().isVisible()).should.equal(false);
    await picker().cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  describe('in the account’s dialog', () => {
    // The option `#` is for a typed ID.
    const choice = () => fixture.editor.page.locator('#cloud-drive-drive-choice');
    const selected = () => choice().evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text);
    const id = () => fixture.editor.field('driveId', 'account');
    const state = () => fixture.editor.page.locator('#cloud-drive-drive-state');
    const options = () => choice().locator('optgroup option');
    async function openAccount(): Promise<void> {
      await fixture.editor.openNode('download');
      await fixture.editor.openAccount();
      await fixture.editor.page
        .locator('#cloud-drive-advanced')
        .evaluate((section: HTMLDetailsElement) => (section.open = true));
    }
    async function close(button: 'ok' | 'cancel'): Promise<void> {
      await fixture.editor.closeDialog(`#node-config-dialog-${button}`);
      await fixture.editor.closeDialog('#node-dialog-cancel');
    }

    it('the shared drive is chosen by name, and its ID is stored', async () => {
      await openAccount();
      await options().first().waitFor({ state: 'attached' });
      (await options().allInnerTexts()).should.eql(['Team <b>', 'Other']);
      should(await selected()).equal('None (My Drive)');
      (await id().isVisible()).should.equal(false);
      await choice().selectOption('Team <b>');
      await close('ok');
      await openAccount();
      await options().first().waitFor({ state: 'attached' });
      await fixture.editor.page.waitForFunction(
        () =>
          document.querySelector<HTMLSelectElement>('#cloud-drive-drive-choice')?.selectedOptions[0]?.text ===
          'Team <b>',
      );
      should(await id().inputValue()).equal(team);
      await close('cancel');
    });

    itLong('an ID or URL can be typed, and becomes the name if the drive is known', async () => {
      await openAccount();
      await options().first().waitFor({ state: 'attached' });
      await choice().selectOption('#');
      await id().fill('0Aunknown');
      await id().press('Tab');
      await state().getByText(accountText('form.drive_unknown')).waitFor();
      await id().fill(`https://drive.google.com/drive/folders/${team}?usp=sharing`);
      await id().press('Tab');
      should(await selected()).equal('Team <b>');
      should(await id().inputValue()).equal(team);
      await close('cancel');
    });

    itLong('more than 100 shared drives are found by a part of the name', async () => {
      for (let index = 0; index < 110; index++) await drive.files.addSharedDrive(`Class ${index}`);
      await openAccount();
      const find = fixture.editor.page.getByRole('searchbox', { name: accountText('browse.find_drive') });
      await find.fill('class 109');
      await fixture.editor.page.waitForFunction(
        () => document.querySelectorAll('#cloud-drive-drive-choice optgroup option').length < 5,
      );
      await choice().selectOption('Class 109');
      (await id().inputValue()).should.not.equal(team);
      await close('cancel');
    });

    it('the choice of a typed ID stays when the name of the ID arrives later', async () => {
      drive.faults.add({ ...DENIED, times: Infinity });
      await openAccount();
      await choice().selectOption('#');
      await id().fill(team);
      await close('ok');
      let answer = (): void => undefined;
      const until = new Promise<void>((resolve) => (answer = resolve));
      drive.faults.add({ kind: 'delay', until, match: { path: /\/drives\/[^/]+$/ } });
      await openAccount();
      await choice().selectOption('#');
      answer();
      await options().getByText('Team <b>').waitFor({ state: 'attached' });
      (await id().isVisible()).should.equal(true);
      await close('cancel');
    });

    it('a refused list names the required access, and an ID can be typed', async () => {
      drive.faults.add({ ...DENIED, times: Infinity });
      await openAccount();
      await state().getByText(accountText('errors.permission_denied_drive_list')).waitFor();
      await choice().selectOption('#');
      (await id().isVisible()).should.equal(true);
      await close('cancel');
    });
  });
});
