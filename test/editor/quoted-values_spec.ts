/** Messages about invalid values, which quote them. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';

describe('messages about invalid values', () => {
  const HTML = '<img src=x onerror="window.wasRun=true">';
  const baseUrl = `https://drive.example/${HTML}/drive/v3`;
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive', service: 'custom', baseUrl },
  ]);

  it('the sidebar of configuration nodes quotes HTML in a value as text', async () => {
    const { page } = fixture.editor;
    await page.evaluate("RED.sidebar.show('config')");
    await page.locator('.red-ui-palette-node-config-invalid .red-ui-flow-node-error').hover();
    const message = page.locator('.red-ui-popover-content', {
      hasText: 'The nodes add /drive/v3 themselves',
    });
    await message.getByText('onerror="window.wasRun=true"').waitFor();
    (await message.locator('img').count()).should.equal(0);
  });
});
