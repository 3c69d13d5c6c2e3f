/** Each dialog in the real editor keeps all values when saved, reopened and deployed. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';
import { FLOW, NODES, expectSettingsSaved } from '../support/editor/dialogs';

describe('dialogs of all nodes', () => {
  const fixture = editorFixture(() => FLOW);

  for (const node of NODES) {
    it(`${node} saves and reloads every setting`, () => expectSettingsSaved(fixture.editor, node));
  }

  it('an account saves and reloads every setting', async () => {
    const account = {
      ...{
        name: 'Mine',
        service: 'custom',
        baseUrl: 'https://drive.example',
        uploadUrl: 'https://up.example',
      },
      ...{ deviceUrl: 'https://drive.example/code', authUrl: 'https://drive.example/auth' },
      ...{ tokenUrl: 'https://drive.example/token', revokeUrl: 'https://drive.example/revoke' },
      ...{ folderMimeType: 'application/x-folder', scope: 'https://drive.example/all', driveId: '0A-shared' },
      ...{ requestsPerSecond: '5', maxTransfers: '2', bandwidth: '512', retryFor: '60', timeout: '20' },
    };
    const { editor } = fixture;
    await editor.openNode('about');
    await editor.openAccount();
    await editor.field('service', 'account').selectOption(account.service);
    await editor.page.locator('#cloud-drive-advanced summary').click();
    await editor.page.locator('#cloud-drive-other-urls summary').click();
    for (const [property, value] of Object.entries(account))
      if (property !== 'service') await editor.field(property, 'account').fill(value);
    await editor.field('clientId', 'account').fill('client');
    await editor.field('clientSecret', 'account').fill('canary-secret');
    (await editor.page.locator('.input-error').count()).should.equal(0);
    await editor.closeDialog('#node-config-dialog-ok');
    const saved = await editor.exported('account');
    saved.should.containEql(account);
    await editor.openAccount();
    for (const [property, value] of Object.entries({ ...account, clientId: 'client' }))
      (await editor.field(property, 'account').inputValue()).should.equal(value, property);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    (await editor.exported('account')).should.eql(saved);
  });

  it('download and upload have a second output while progress is ticked', async () => {
    for (const node of ['download', 'upload']) {
      (await fixture.editor.exported(node)).should.containEql({ outputs: 2, wires: [[], []] });
      await fixture.editor.openNode(node);
      await fixture.editor.field('progress').uncheck();
      await fixture.editor.closeDialog('#node-dialog-ok');
      (await fixture.editor.exported(node)).should.containEql({ outputs: 1, wires: [[]] });
    }
  });

  it('marks a value that isn’t a number or is negative', async () => {
    await fixture.editor.openNode('list-folders');
    for (const [value, isInvalid] of [
      ['-1', true],
      ['many', true],
      ['0', false],
      ['', false],
      ['${LIMIT}', false],
    ] as const) {
      await fixture.editor.field('limit').fill(value);
      await fixture.editor.field('limit').dispatchEvent('change');
      const isMarked =
        (await fixture.editor.field('limit').getAttribute('class'))?.includes('input-error') ?? false;
      isMarked.should.equal(isInvalid, value);
    }
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('every field of a dialog has an accessible name', async () => {
    for (const node of NODES) {
      await fixture.editor.openNode(node);
      (await fixture.editor.unlabeledFields()).should.eql([], node);
      await fixture.editor.closeDialog('#node-dialog-cancel');
    }
  });

  it('every setting is the same after a deploy and a reload', async () => {
    const before = await exportedSettings();
    await fixture.editor.deploy();
    await fixture.editor.reload();
    (await exportedSettings()).should.eql(before);
    fixture.editor.errors.should.eql([]);
  });

  /** Without credentials, which the editor doesn't get back. */
  const exportedSettings = (): Promise<object[]> =>
    Promise.all(
      NODES.map(async (node) => {
        const { credentials: _credentials, ...settings } = await fixture.editor.exported(node);
        return settings;
      }),
    );
});
