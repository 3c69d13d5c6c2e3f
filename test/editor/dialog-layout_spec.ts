/** Size and sections of the dialogs in the real editor. test:long runs this file in Node-RED 5.0 as well. */
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { FLOW, NODES } from '../support/editor/dialogs';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { itLong } from '../support/run/long';

/** Pixels. */
const WIDTH = { least: 500, most: 560 };
const MOST_FIELDS = 6;
const PALETTE = [
  ...['upload', 'download', 'search-files', 'sync', 'backup', 'restore', 'list-folders'],
  ...['create-folder', 'move', 'delete', 'prune', 'watch', 'share', 'file-info', 'request', 'about'],
];

describe('layout of the dialogs', () => {
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    await drive.files.addFolder('Backups');
    await drive.files.add({ name: 'a.tar', content: 'x' });
  });
  after(() => drive?.close());
  afterEach(async () => {
    const cancel = fixture.editor.page.locator('#node-dialog-cancel');
    while ((await cancel.count()) > 0) await fixture.editor.closeDialog('#node-dialog-cancel');
  });
  const fixture = editorFixture(() =>
    FLOW.map((node) =>
      node.type === 'cloud-drive-account'
        ? { ...node, ...customAccount(drive.url), credentials: { ...CREDENTIALS } }
        : node,
    ),
  );

  /** Expects the width of all dialogs, and that nothing is cut off or out of reach. */
  async function expectFit(when: string): Promise<void> {
    const form = fixture.editor.page.locator('.cloud-drive-form');
    const { tray, content, outside } = await form.evaluate((element) => {
      const box = element.closest('.red-ui-tray')!.getBoundingClientRect();
      const inner = element.getBoundingClientRect();
      const parts = [...element.querySelectorAll<HTMLElement>('.form-row > *, button, p, legend, summary')];
      return {
        tray: box.width,
        content: element.scrollWidth - element.clientWidth,
        outside: parts
          .filter((part) => part.checkVisibility())
          .filter((part) => part.getBoundingClientRect().right > Math.min(inner.right, box.right) + 1)
          .map((part) => part.outerHTML),
      };
    });
    tray.should.be.within(WIDTH.least, WIDTH.most, when);
    content.should.be.belowOrEqual(0, when);
    outside.should.eql([], when);
  }

  /** Chooses something with each button of the open dialog. */
  async function expectFitAfterPicker(canCancel: boolean): Promise<void> {
    const { editor } = fixture;
    const picker = new PickerPage(editor);
    for (const property of ['file', 'folder'] as const) {
      if ((await editor.page.locator(`#cloud-drive-choose-${property}`).count()) === 0) continue;
      await picker.open(property);
      if (canCancel) {
        await picker.cancel(property);
        await expectFit('after Cancel');
        await picker.open(property);
      }
      await picker.row(property === 'file' ? 'a.tar' : 'Backups').click();
      await picker.choose(property);
      await expectFit('after Choose');
    }
  }

  for (const node of NODES) {
    it(`the dialog of ${node} shows at most six fields, is as wide as all, and has labels of one size and hints in empty fields`, async () => {
      const { editor } = fixture;
      await editor.openNode(node);
      const rows = editor.page.locator('#dialog-form .form-row:visible');
      // The rules of a retention, and the events of a watch, are one field each.
      const groups = await editor.page.locator('#dialog-form fieldset:visible').count();
      const inGroups = await editor.page.locator('#dialog-form fieldset .form-row:visible').count();
      ((await rows.count()) - inGroups + groups).should.be.belowOrEqual(MOST_FIELDS);
      await editor.openSections();
      await expectFit('when it opens');
      const sizes = await editor.page
        .locator('#dialog-form .form-row > label:visible')
        .evaluateAll((labels) => labels.map((label) => getComputedStyle(label).fontSize));
      [...new Set(sizes)].length.should.equal(1);
      const empty = await editor.page
        .locator('#dialog-form .form-row input[type="text"]:visible')
        .evaluateAll((inputs) =>
          (inputs as HTMLInputElement[])
            .filter((input) => input.value === '' && input.placeholder === '')
            .filter((input) => !input.closest('.form-row')?.querySelector('.cloud-drive-unit'))
            .map((input) => input.id || input.outerHTML),
        );
      empty.should.eql([]);
      // All nodes share the picker, so one dialog shows what it leaves behind.
      if (node === 'move') await expectFitAfterPicker(true);
    });

    itLong(`the dialog of ${node} has the width of all dialogs after the drive picker`, async () => {
      await fixture.editor.openNode(node);
      await fixture.editor.openSections();
      await expectFitAfterPicker(false);
    });
  }

  it('the section Advanced opens with a changed or invalid field in it, and with the keyboard', async () => {
    const { editor } = fixture;
    const section = editor.page.locator('details.cloud-drive-advanced');
    const isOpen = () => section.evaluate((element: HTMLDetailsElement) => element.open);
    await editor.openNode('move');
    should(await isOpen()).be.false();
    await section.locator('summary').focus();
    await editor.page.keyboard.press('Enter');
    should(await isOpen()).be.true();
    await editor.field('ifExists').selectOption('rename');
    await editor.closeDialog('#node-dialog-ok');
    await editor.openNode('move');
    should(await isOpen()).be.true();
    await editor.closeDialog('#node-dialog-cancel');
    await editor.openNode('prune');
    should(await isOpen()).be.false();
    await editor.field('pattern').fill('(');
    // The field in the section decides how the pattern is compared.
    await editor.openSections();
    await editor.field('timeZone').fill('Nowhere');
    await editor.field('timeZone').blur();
    await section.locator('summary').click();
    should(await isOpen()).be.false();
    await editor.closeDialog('#node-dialog-ok');
    await editor.openNode('prune');
    should(await isOpen()).be.true();
  });

  it('prune describes its rules in a sentence that follows the fields', async () => {
    const { editor } = fixture;
    await editor.openNode('prune');
    await editor.openSections();
    const sentence = editor.page.locator('#cloud-drive-retention');
    const shows = (text: string) => sentence.filter({ hasText: text }).waitFor();
    (await sentence.innerText()).should.startWith('No rule is set');
    await editor.field('keepNewest').fill('3');
    await editor.field('daily').fill('7');
    await shows('Keeps the 3 newest and 7 daily files; would move the others to the trash.');
    await editor.field('dryRun').uncheck();
    await shows('Keeps the 3 newest and 7 daily files; moves the others to the trash.');
    await editor.field('mode').selectOption('permanent');
    await shows('deletes the others permanently');
  });

  it('sync folder shows the direction as a picture, with the source first also in the form', async () => {
    const { editor } = fixture;
    await editor.openNode('sync');
    const places = editor.page.locator('#cloud-drive-direction .cloud-drive-place');
    const rows = editor.page.locator('fieldset .form-row:has(.red-ui-typedInput-container) > label');
    const shown = async () => [await places.allInnerTexts(), await rows.allInnerTexts()].flat();
    (await shown())
      .map((text) => text.trim())
      .should.eql([...['msg.filename', 'msg.payload', 'Path on disk', 'Folder on drive']]);
    await editor.setTyped('localPath', { type: 'str', value: '/srv/photos' });
    await editor.setTyped('folder', { type: 'str', value: '' });
    await editor.field('direction').selectOption('down');
    (await shown())
      .map((text) => text.trim())
      .should.eql([...['/', '/srv/photos', 'Folder on drive', 'Path on disk']]);
    await editor.openSections();
    (await editor.visibleRows(['exportFormat', 'createFolders'])).should.eql(['exportFormat']);
    await editor.closeDialog('#node-dialog-ok');
    (await editor.exported('sync')).should.containEql({ localPath: '/srv/photos', folder: '' });
  });

  it('sync folder says in a sentence what happens to extra files, and never trashes files on disk', async () => {
    const { editor } = fixture;
    await editor.openNode('sync');
    await editor.field('direction').selectOption('up');
    const shows = (text: string) =>
      editor.page.locator('#cloud-drive-extra').filter({ hasText: text }).waitFor();
    await shows('Files that exist only on the drive stay there.');
    await editor.field('extra').selectOption('trash');
    await shows('on the drive are moved to the trash. If there are more than 50, nothing is changed.');
    await editor.openSections();
    await editor.field('maxRemovals').fill('7');
    await shows('If there are more than 7');
    await editor.field('maxRemovals').fill('x');
    await shows('Correct the fields');
    await editor.field('maxRemovals').fill('');
    await editor.field('direction').selectOption('down');
    await shows('Files that exist only on the disk stay there.');
    should(await editor.field('extra').locator('option[value="trash"]').isDisabled()).be.true();
    await editor.field('extra').selectOption('delete');
    await shows('on the disk are deleted permanently. If there are more than 50');
  });

  it('the name typed into upload is part of the node’s label', async () => {
    const { editor } = fixture;
    await editor.openNode('upload');
    await editor.setTyped('targetName', { type: 'str', value: 'first.txt' });
    await editor.closeDialog('#node-dialog-ok');
    await editor.page.locator('[id="upload"]', { hasText: 'upload: first.txt' }).waitFor();
  });

  it('the palette shows upload, download and search files first, and about last', async () => {
    const types = await fixture.editor.page
      .locator('.red-ui-palette-node[data-palette-type^="cloud-drive-"]')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-palette-type')));
    types.should.eql(PALETTE.map((node) => `cloud-drive-${node}`));
  });

  it('logs no error in the console', () => fixture.editor.errors.should.eql([]));
});
