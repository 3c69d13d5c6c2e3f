/** Each dialog in the real editor: filled, saved, opened again with the same values, deployed. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';
import { FLOW, NODES, keepsWhatIsSet } from '../support/editor/dialogs';

describe('dialogs of all nodes', function () {
  this.timeout(60_000);
  const of = editorFixture(() => FLOW);

  for (const node of NODES) {
    it(`${node} keeps what is set`, () => keepsWhatIsSet(of.editor, node));
  }

  it('an account keeps what is set', async () => {
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
    const { editor } = of;
    await editor.openNode('about');
    await editor.openAccount();
    await editor.field('service', 'account').selectOption(account.service);
    await editor.page.locator('#cloud-drive-advanced summary').click();
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

  it('gives transfers a second output while progress is ticked', async () => {
    for (const node of ['download', 'upload']) {
      (await of.editor.exported(node)).should.containEql({ outputs: 2, wires: [[], []] });
      await of.editor.openNode(node);
      await of.editor.field('progress').uncheck();
      await of.editor.closeDialog('#node-dialog-ok');
      (await of.editor.exported(node)).should.containEql({ outputs: 1, wires: [[]] });
    }
  });

  it('marks a number that is none, or below 0', async () => {
    await of.editor.openNode('list-folders');
    for (const [value, isWrong] of [
      ['-1', true],
      ['many', true],
      ['0', false],
      ['', false],
      ['${LIMIT}', false],
    ] as const) {
      await of.editor.field('limit').fill(value);
      await of.editor.field('limit').dispatchEvent('change');
      const isMarked =
        (await of.editor.field('limit').getAttribute('class'))?.includes('input-error') ?? false;
      isMarked.should.equal(isWrong, value);
    }
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('has a name for each field', async () => {
    for (const node of NODES) {
      await of.editor.openNode(node);
      (await of.editor.namelessFields()).should.eql([], node);
      await of.editor.closeDialog('#node-dialog-cancel');
    }
  });

  it('deploys, and has the same values after a reload', async () => {
    const before = await Promise.all(NODES.map((node) => of.editor.exported(node)));
    await of.editor.deploy();
    await of.editor.reload();
    (await Promise.all(NODES.map((node) => of.editor.exported(node)))).should.eql(before);
    of.editor.errors.should.eql([]);
  });
});
