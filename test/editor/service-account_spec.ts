/** A service account in the dialog of a real Node-RED: from the dropped key to a tested connection. */
import should from 'should';
import { type LocalDrive, type ServiceAccountKey, startLocalDrive } from '../local-drive';
import { CLIENT, customAccount } from '../support/node-red/account';
import { clientJson, panel, paste } from '../support/editor/account-dialog';
import { seriousProblems } from '../support/editor/accessibility';
import { editorFixture } from '../support/editor/editor-fixture';
import type { EditorPage } from '../support/editor/editor-page';
import { accountText } from '../support/languages';
import { type NodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';
import { itLong } from '../support/run/long';

describe('a service account in the account’s dialog', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;
  let key: ServiceAccountKey;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }] });
    key = drive.addServiceAccount();
  });
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url), scope: '' },
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
  ]);
  before(async () => {
    ({ nodeRed, editor } = fixture);
    await editor.openNode('about');
    await editor.openAccount();
  });
  after(() => drive?.close());

  const connection = () => panel(editor).locator('.cloud-drive-connection');
  const testConnection = () =>
    panel(editor)
      .getByRole('button', { name: accountText('panel.test') })
      .click();
  const selected = () => editor.field('auth', 'account').inputValue();

  it('a pasted client JSON or key selects how the account signs in', async () => {
    await paste(editor.page, 'client-json', JSON.stringify(key));
    const message = editor.page.locator('#cloud-drive-key-json-message.cloud-drive-good');
    await message.getByText(key.client_email).waitFor();
    should(await selected()).equal('service-account');
    await message.getByRole('button', { name: accountText('panel.copy_address') }).waitFor();
    should(await editor.page.locator('#cloud-drive-step-client').isVisible()).be.false();
    await paste(editor.page, 'key-json', clientJson(drive.url));
    await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
    should(await selected()).equal('user');
    await paste(editor.page, 'client-json', JSON.stringify(key));
    await editor.page.locator('#cloud-drive-step-key').waitFor();
  });

  it('the dialog says what a service account can do, and keeps no JSON in its text fields', async () => {
    await editor.page.getByText(accountText('form.service_account_facts')).waitFor();
    for (const field of ['client-json', 'key-json'])
      should(await editor.page.locator(`#cloud-drive-${field}`).inputValue()).equal('');
  });

  it('the connection is tested with the key in the form before it is deployed', async () => {
    await editor.field('subject', 'account').fill('ann@example.com');
    await testConnection();
    const buttons = ['panel.copy_client_id', 'panel.copy_scopes', 'panel.test'].map((name) =>
      accountText(name),
    );
    for (const name of buttons) await panel(editor).getByRole('button', { name }).waitFor();
    (await seriousProblems(editor.page)).should.eql([]);
    await editor.field('subject', 'account').fill('');
    await testConnection();
    await connection().getByText(accountText('panel.works')).waitFor();
    await connection().getByText(key.client_email).waitFor();
    (await seriousProblems(editor.page)).should.eql([]);
  });

  it('a JSON that is no key is explained', async () => {
    await paste(editor.page, 'key-json', '{"type": "authorized_user"}');
    const message = editor.page.locator('#cloud-drive-key-json-message.cloud-drive-bad');
    await message.getByText(accountText('record.key_type')).waitFor();
  });

  it('after a deploy the dialog shows the address and tests the connection', async () => {
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    const { account } = await storedCredentials(nodeRed);
    should(account?.['serviceAccountKey']?.includes(key.private_key_id)).be.true();
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText(key.client_email).first().waitFor();
    await connection().getByText(accountText('panel.key_not_tested')).waitFor();
    await testConnection();
    await connection().getByText(accountText('panel.works')).waitFor();
    // As Node-RED does for every field when it opens a dialog.
    const result = await editor.page.evaluate(() => {
      $('#node-config-input-auth').trigger('change');
      return $('#cloud-drive-sign-in .cloud-drive-connection').text();
    });
    result.should.match(accountText('panel.works'));
  });

  const secret = (): string => key.private_key.replaceAll('\n', '').slice(60, 100);

  it('the private key is neither in the flows nor in the page', async () => {
    (await nodeRed.file('flows.json')).should.not.containEql(secret());
    (await editor.page.content()).should.not.containEql(secret());
  });

  itLong('the private key is not in the memory of the browser', async () => {
    (await editor.memory()).should.not.containEql(secret());
  });
});
