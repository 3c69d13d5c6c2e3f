/** A new user who uploads a first file, and how often a mouse button is pressed for it. */
import type { Locator } from 'playwright-core';
import type { EditorPage } from './editor-page';

export class FirstUpload {
  private constructor(private readonly editor: EditorPage) {}

  /** Counts the presses from now on. */
  static async start(editor: EditorPage): Promise<FirstUpload> {
    await editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await editor.page.evaluate(() => {
      const counted = window as unknown as { presses: number };
      counted.presses = 0;
      document.documentElement.dataset['changedByTest'] = '';
      window.addEventListener('mousedown', () => (counted.presses += 1), true);
    });
    return new FirstUpload(editor);
  }

  presses(): Promise<number> {
    return this.editor.page.evaluate(() => (window as unknown as { presses: number }).presses);
  }

  get node(): Locator {
    return this.editor.page.locator('.red-ui-flow-node-group').nth(1);
  }

  /** Drags an Inject node and an upload node onto the canvas and wires them. */
  async placeNodes(): Promise<void> {
    await this.drag(this.inPalette('inject'), [500, 200]);
    await this.drag(this.inPalette('cloud-drive-upload'), [700, 300]);
    const nodes = this.editor.page.locator('.red-ui-flow-node-group');
    await nodes.nth(1).waitFor();
    const input = nodes.nth(1).locator('.red-ui-flow-port-input');
    await this.drag(nodes.first().locator('.red-ui-flow-port-output'), await center(input));
    await this.editor.page.locator('.red-ui-flow-link-line').first().waitFor();
  }

  /** Opens the dialog. A double click would count twice, and fails on a busy machine if the clicks are too far apart. */
  async openDialog(): Promise<void> {
    await this.node.locator('.red-ui-flow-node').click();
    await this.editor.page.keyboard.press('Enter');
    await this.editor.opened('#node-dialog-ok');
  }

  async pasteClientJson(json: string): Promise<void> {
    await this.editor.page.locator('#cloud-drive-client-json:focus').waitFor();
    await this.editor.page.evaluate((text) => navigator.clipboard.writeText(text), json);
    await this.editor.page.keyboard.press('Control+V');
    await this.editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
  }

  /** Types the name of the file, closes the dialog, deploys and injects. @param untilValid waits for the dialog's check */
  async uploadAs(name: string, untilValid = (): Promise<void> => Promise.resolve()): Promise<void> {
    const field = this.editor.page
      .locator('#node-input-targetName + .red-ui-typedInput-container input')
      .first();
    await field.click();
    await this.editor.page.keyboard.type(name);
    await field.blur();
    await untilValid();
    await this.editor.closeDialog('#node-dialog-ok');
    await this.editor.deploy();
    await this.editor.page.locator('.red-ui-flow-node-button-button').click();
    await this.node.locator('.red-ui-flow-node-status-label', { hasText: /done|·/ }).waitFor();
  }

  private inPalette(type: string): Locator {
    return this.editor.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
  }

  private async drag(from: Locator, to: [x: number, y: number]): Promise<void> {
    const { mouse } = this.editor.page;
    await mouse.move(...(await center(from)));
    await mouse.down();
    await mouse.move(to[0] - 30, to[1], { steps: 5 });
    await mouse.move(...to, { steps: 5 });
    await mouse.up();
  }
}

async function center(of: Locator): Promise<[x: number, y: number]> {
  await of.scrollIntoViewIfNeeded();
  const box = (await of.boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2];
}
