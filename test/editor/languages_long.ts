/** Each dialog in each language: every label has room beside its field, and none shows its key. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import 'should';
import { ROOT } from '../support/built';
import { startBrowser } from '../support/browser';
import { FLOW, NODES } from '../support/dialogs';
import { EditorPage } from '../support/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red';

const LANGUAGES = readdirSync(path.join(ROOT, 'nodes/account/locales'));

/** Labels of the dialog on top that are broken into lines, so that the row is no row any more. */
function brokenLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = [...document.querySelectorAll('.red-ui-tray')].at(-1)!;
    const labels = [...dialog.querySelectorAll<HTMLElement>('.form-row:not(.cloud-drive-check) > label')];
    return labels.filter(({ offsetHeight }) => offsetHeight > 30).map(({ innerText }) => innerText.trim());
  });
}

describe('dialogs in each language', function () {
  this.timeout(90_000);
  let browser: Browser;
  let nodeRed: NodeRed;
  before(async () => {
    [nodeRed, browser] = await Promise.all([startNodeRed(), startBrowser()]);
    await nodeRed.deploy(FLOW);
  });
  after(async () => {
    await browser?.close();
    await nodeRed?.close();
  });

  for (const locale of LANGUAGES) {
    it(`${locale} has room for its labels`, async () => {
      const editor = await EditorPage.open(browser, nodeRed.url, { locale });
      const broken: string[] = [];
      for (const node of NODES) {
        await editor.openNode(node);
        if (node === 'search-files') await editor.field('recursive').check();
        broken.push(...(await brokenLabels(editor.page)).map((label) => `${node}: ${label}`));
        const text = await editor.page.locator('#dialog-form').innerText();
        text.should.not.match(/(?:^|\n)\s*(?:field|row|form|browse)\.\w|node-red-contrib/);
        await editor.closeDialog('#node-dialog-cancel');
      }
      await editor.openNode('about');
      await editor.addAccount();
      broken.push(...(await brokenLabels(editor.page)).map((label) => `account: ${label}`));
      await editor.close();
      broken.should.eql([]);
    });
  }
});
