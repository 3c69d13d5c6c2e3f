/** The dialog of the backup node in the real editor: name, key pair, retention and test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { writeTree } from '../support/archive/tree';
import { editorFixture } from '../support/editor/editor-fixture';
import { itLong } from '../support/run/long';

const KEY = 'age1d7tfe93h80x6akt6xvvtjx9yhznymrjweeeklxfxt67wd9pl29kqwjvn5y';

describe('dialog of the backup node', () => {
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
    {
      id: 'inject',
      type: 'inject',
      z: 'tab',
      x: 120,
      y: 80,
      ...{ name: '', repeat: '', crontab: '', once: false, onceDelay: 0.1, topic: '' },
      props: [{ p: 'filename', v: '/srv/data/', vt: 'str' }],
      wires: [['backup']],
    },
    { id: 'backup', type: 'cloud-drive-backup', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
    { id: 'other', type: 'cloud-drive-backup', z: 'tab', x: 300, y: 160, account: 'account', wires: [[]] },
  ]);
  let disk: string;
  before(async () => {
    disk = await mkdtemp(path.join(tmpdir(), 'backup-dialog-'));
    await writeTree(disk, { 'data/a.txt': 'hello', 'data/node_modules/x.js': 'x', 'data/<b>': '' });
  });
  after(() => rm(disk, { recursive: true, force: true }));

  const text = (selector: string) => fixture.editor.page.locator(selector);
  const preview = (expected: RegExp) =>
    text('#cloud-drive-name-preview').filter({ hasText: expected }).waitFor();

  it('the name of the next archive follows the fields that determine it', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    await editor.openSections();
    await preview(/^Example: data-\d{4}-\d\d-\d\d-0042\.tar\.gz$/);
    await editor.setTyped('source', { type: 'msg', value: 'other' });
    await preview(/^Example: NAME-\d{4}-\d\d-\d\d-0042\.tar\.gz$/);
    await editor.setTyped('source', { type: 'str', value: '/srv/photos/' });
    await editor.field('encryption').selectOption('passphrase');
    await preview(/^Example: photos-\d{4}-\d\d-\d\d-0042\.tar\.gz\.age$/);
    await editor.setTyped('targetName', { type: 'str', value: '{host} {time}' });
    await preview(/^Example: \w+ \d\d-\d\d-\d\d\.tar\.gz\.age$/);
    for (const [value, expected] of [
      ['a/{name}', "can't contain a slash"],
      ['{day}', 'Unknown placeholder {day}'],
      ['{name', 'Unknown placeholder {name'],
      ['{name}-{number}.tar.gz', 'Remove .tar.gz: the node adds the extension'],
    ] as const) {
      await editor.setTyped('targetName', { type: 'str', value });
      await editor.problem('targetName', expected);
    }
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('only the rows of the selected encryption are shown, and keys are validated', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    await editor.openSections();
    const rows = () => editor.visibleRows(['passphrase', 'recipients']);
    (await rows()).should.eql([]);
    await editor.field('encryption').selectOption('passphrase');
    (await rows()).should.eql(['passphrase']);
    await editor.problem('passphrase', 'Required: a passphrase');
    await editor.enter('passphrase', 'secret', '');
    await editor.field('encryption').selectOption('recipients');
    (await rows()).should.eql(['recipients']);
    await editor.problem('recipients', 'at least one public key');
    await editor.enter('recipients', 'age1x', 'Not a public key: age1x');
    await editor.enter('recipients', `${KEY} # Anna\n${KEY}`, '');
    await editor.enter('recipients', `${KEY}, ${KEY} AGE-SECRET-KEY-1X`, 'This is a private key');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('a snapshot has a passphrase and fields of its own, and no archive name, compression and encryption', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    await editor.openSections();
    const archive = ['targetName', 'compression', 'encryption'];
    const snapshot = ['passphrase', 'tags', 'packSize', 'maxUnused'];
    const rows = () => editor.visibleRows([...archive, ...snapshot, 'recipients', 'exclude', 'mode']);
    (await rows()).should.eql([...archive, 'exclude', 'mode']);
    await editor.field('encryption').selectOption('recipients');
    await editor.field('format').selectOption('snapshot');
    (await rows()).should.eql([...snapshot, 'exclude', 'mode']);
    await text('#cloud-drive-snapshot-hint').getByText('The folder must be empty').waitFor();
    should(await text('#cloud-drive-name-preview').isVisible()).be.false();
    // Among the fields that are always shown.
    const isAdvanced = (field: HTMLElement | SVGElement): boolean => field.closest('details') !== null;
    should(await editor.field('passphrase').evaluate(isAdvanced)).be.false();
    for (const [property, value, expected] of [
      ['passphrase', '', 'Required: a passphrase'],
      ['passphrase', '7 chars', 'Enter at least 8 characters'],
      ['packSize', '3', 'Enter a number from 4 to 128'],
      ['maxUnused', '101', 'Enter a number from 0 to 100'],
      ['tags', 'a,b', "A tag can't contain a comma"],
      ['tags', 'incomplete', '“incomplete” marks snapshots that lack something'],
    ] as const) {
      await editor.enter(property, value, expected);
    }
    await editor.field('format').selectOption('archive');
    for (const property of ['passphrase', 'packSize', 'maxUnused', 'tags'])
      await editor.problem(property, '');
    (await rows()).should.eql([...archive, 'recipients', 'exclude', 'mode']);
    await editor.closeDialog('#node-dialog-cancel');
  });

  itLong(
    'a node with snapshots is saved and valid with a passphrase, and its sentence speaks of snapshots',
    async () => {
      const { editor } = fixture;
      await editor.openNode('backup');
      await editor.field('format').selectOption('snapshot');
      await text('#cloud-drive-retention').getByText('Removes no older snapshots.').waitFor();
      await editor.field('daily').fill('1');
      await editor.field('keepDays').fill('3');
      await text('#cloud-drive-retention')
        .getByText('Keeps 1 daily and all snapshots newer than 3 days; moves the others to the trash.')
        .waitFor();
      await editor.field('passphrase').fill('correct horse');
      await editor.closeDialog('#node-dialog-ok');
      (await editor.exported('backup')).should.containEql({
        format: 'snapshot',
        packSize: '16',
        maxUnused: '5',
      });
      await editor.openNode('backup');
      (await editor.field('format').inputValue()).should.equal('snapshot');
      (await editor.visibleRows(['passphrase'])).should.eql(['passphrase']);
      await editor.field('format').selectOption('archive');
      await editor.field('daily').fill('0');
      await editor.field('keepDays').fill('0');
      await editor.closeDialog('#node-dialog-ok');
    },
  );

  itLong('a stored passphrase is valid, and a removed one is missing', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    await editor.openSections();
    await editor.field('encryption').selectOption('passphrase');
    await editor.field('passphrase').fill('secret');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.openNode('backup');
    // The editor doesn't get the passphrase.
    (await editor.field('passphrase').inputValue()).should.equal('__PWRD__');
    await editor.problem('passphrase', '');
    await editor.enter('passphrase', '', 'Required: a passphrase');
    (await editor.field('passphrase').getAttribute('aria-invalid'))!.should.equal('true');
    await editor.enter('passphrase', '${PASSPHRASE}', '');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('a new key pair fills in the public key, shows the private key once, and saves it nowhere', async () => {
    const { editor, nodeRed } = fixture;
    await editor.openNode('backup');
    await editor.openSections();
    await editor.field('encryption').selectOption('recipients');
    // At the lower end of the visible part.
    await text('#cloud-drive-create-key').evaluate((button) => button.scrollIntoView({ block: 'end' }));
    await text('#cloud-drive-create-key').click();
    const identity = await text('#cloud-drive-private-key code').innerText();
    identity.should.match(/^AGE-SECRET-KEY-1[0-9A-Z]{58}$/);
    const box = (await text('#cloud-drive-private-key').boundingBox())!;
    const dialog = (await text('#dialog-form').boundingBox())!;
    const isVisible = (button: HTMLElement): boolean => {
      const tray = button.closest('.red-ui-tray-body')!.getBoundingClientRect();
      return button.getBoundingClientRect().bottom <= tray.bottom;
    };
    (await text('#cloud-drive-copy-key').evaluate(isVisible)).should.be.true();
    (box.x + box.width).should.be.belowOrEqual(dialog.x + dialog.width);
    const recipient = await editor.field('recipients').inputValue();
    recipient.should.match(/^age1[0-9a-z]{58}$/);
    await editor.closeDialog('#node-dialog-ok');
    await editor.openNode('backup');
    (await text('#cloud-drive-private-key').innerText()).should.equal('');
    (await editor.field('recipients').inputValue()).should.equal(recipient);
    await editor.closeDialog('#node-dialog-cancel');
    const flows = await (await nodeRed.request('/flows')).text();
    flows.should.not.containEql('AGE-SECRET-KEY');
    const responses = await editor.allResponses();
    responses.filter(({ body }) => body.includes(identity)).should.have.length(1);
  });

  it('a new key pair that arrives when its dialog is closed changes no other node', async () => {
    const { editor } = fixture;
    const [arrived, release] = await editor.holdNext(/\/key-pair/);
    await editor.openNode('backup');
    await editor.openSections();
    await editor.field('encryption').selectOption('recipients');
    await text('#cloud-drive-create-key').click();
    await arrived;
    await editor.closeDialog('#node-dialog-cancel');
    await editor.openNode('other');
    await release();
    (await editor.field('recipients').inputValue()).should.equal('');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('a sentence describes which archives are kept', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    await text('#cloud-drive-retention').getByText('Removes no older archives.').waitFor();
    await editor.field('daily').fill('7');
    await editor.page.keyboard.press('Tab');
    await text('#cloud-drive-retention')
      .getByText('Keeps 7 daily files; moves the others to the trash.')
      .waitFor();
    await editor.closeDialog('#node-dialog-cancel');
  });

  itLong('a hint warns that rules may remove the archives of other sources', async () => {
    const { editor } = fixture;
    const hint = text('#cloud-drive-names-shared');
    const shows = (expected: RegExp) => hint.filter({ hasText: expected }).waitFor({ state: 'attached' });
    await editor.openNode('backup');
    await shows(/^$/);
    await editor.setTyped('targetName', { type: 'str', value: 'backup-{date}' });
    await shows(/^$/);
    await editor.field('daily').fill('7');
    await shows(/^Without \{name\}, archives of other sources/);
    await editor.setTyped('targetName', { type: 'str', value: '{name}-{date}' });
    await shows(/^$/);
    await editor.setTyped('targetName', { type: 'msg', value: 'filename' });
    await shows(/^$/);
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('the test lists what would be included, and says why it can’t', async () => {
    const { editor } = fixture;
    const result = text('#cloud-drive-test-result');
    await editor.openNode('backup');
    await editor.openSections();
    await editor.page.getByLabel('Example path').fill(path.join(disk, 'nowhere'));
    await text('#cloud-drive-test-start').click();
    await result.getByText("doesn't exist").waitFor();
    await editor.setTyped('source', { type: 'str', value: path.join(disk, 'data') });
    should(await editor.page.getByLabel('Example path').isVisible()).be.false();
    await editor.field('exclude').fill('node_modules');
    await text('#cloud-drive-test-start').click();
    await result.getByText('Files, folders and links: 3 (5 bytes)').waitFor();
    (await result.getByRole('listitem').allInnerTexts())
      .sort()
      .should.eql(['data', 'data/<b>', 'data/a.txt']);
    await editor.closeDialog('#node-dialog-cancel');
  });

  itLong('the dialog is as wide as the others and has no button for local folders', async () => {
    const { editor } = fixture;
    await editor.openNode('backup');
    (await text('#dialog-form').evaluate((form) => form.scrollWidth <= form.clientWidth)).should.be.true();
    (await text('#cloud-drive-choose-source').count()).should.equal(0);
    (await text('#cloud-drive-choose-folder').count()).should.equal(1);
    await editor.closeDialog('#node-dialog-cancel');
  });
});
