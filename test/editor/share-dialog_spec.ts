/** The dialog of the share node in the real editor: the sentence, and the fields that apply. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';

describe('dialog of the share node', () => {
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
    { id: 'share', type: 'cloud-drive-share', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
  ]);

  it('the dialog of share says who gets access, and shows only the fields that apply', async () => {
    const { editor } = fixture;
    const sentence = (text: string) =>
      editor.page.locator('#cloud-drive-share-sentence').getByText(text, { exact: true }).waitFor();
    const rows = () => editor.visibleRows(['with', 'to', 'discoverable', 'notify', 'message', 'expires']);
    await editor.openNode('share');
    await editor.openSections();
    await sentence('Anyone with the link can view.');
    (await rows()).should.eql(['with', 'discoverable']);
    await editor.field('discoverable').setChecked(true);
    await sentence('Anyone on the internet, even without the link, can view.');
    await editor.field('with').selectOption('user');
    await editor.field('role').selectOption('writer');
    await sentence('The user msg.to can edit. No email is sent.');
    (await rows()).should.eql(['with', 'to', 'notify', 'expires']);
    await editor.setTyped('to', { type: 'str', value: 'ann@example.com' });
    await editor.field('notify').setChecked(true);
    await editor.field('expires').fill('7 days');
    await sentence('The user ann@example.com can edit. An email is sent. Access expires: 7 days.');
    (await rows()).should.eql(['with', 'to', 'notify', 'message', 'expires']);
    await editor.field('action').selectOption('remove');
    await sentence('Removes the access of ann@example.com.');
    (await rows()).should.eql(['with', 'to']);
    await editor.field('action').selectOption('list');
    await sentence('Lists who has access and changes nothing.');
    (await rows()).should.eql([]);
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('the dialog of share explains invalid addresses, roles and expirations', async () => {
    const { editor } = fixture;
    await editor.openNode('share');
    await editor.field('with').selectOption('user');
    await editor.openSections();
    await editor.setTyped('to', { type: 'str', value: 'ann' });
    await editor.problem('to', 'Enter an email address');
    await editor.enter('expires', 'soon', 'Enter a time in the future');
    await editor.enter('expires', '2 years', 'Google Drive allows at most one year');
    await editor.field('with').selectOption('domain');
    await editor.problem('to', 'Enter a domain');
    await editor.problem('expires', 'Only the access of users and groups can expire');
    await editor.field('role').selectOption('organizer');
    await editor.problem('with', 'Only users and groups can have this role');
    await editor.closeDialog('#node-dialog-cancel');
  });
});
