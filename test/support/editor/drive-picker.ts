/** The drive picker, as a user sees it. */
import type { Locator, Route } from 'playwright-core';
import type { EditorPage } from './editor-page';

export class PickerPage {
  constructor(private readonly editor: EditorPage) {}

  /** Presses the button next to a field of the open dialog. */
  async open(property: 'file' | 'folder'): Promise<void> {
    await this.editor.page.locator(`#cloud-drive-choose-${property}`).click();
    await this.area.waitFor();
  }

  get area(): Locator {
    return this.editor.page.locator('.cloud-drive-picker');
  }

  get tree(): Locator {
    return this.area.getByRole('tree');
  }

  get rows(): Locator {
    return this.tree.getByRole('treeitem');
  }

  row(name: string): Locator {
    return this.rows.filter({ has: this.editor.page.getByText(name, { exact: true }) });
  }

  get okButton(): Locator {
    return this.editor.page.locator('#node-dialog-ok');
  }

  get chosen(): Locator {
    return this.area.locator('.cloud-drive-chosen');
  }

  /** The message if nothing can be shown. */
  get failure(): Locator {
    return this.area.getByRole('alert');
  }

  get search(): Locator {
    return this.area.getByRole('searchbox');
  }

  /** Expands a folder, and waits for a row in it. */
  async expand(folder: string, row: string): Promise<void> {
    await this.row(folder).click();
    await this.row(row).waitFor();
  }

  /** Picks the selected file, and waits for the dialog. */
  async choose(property: 'file' | 'folder'): Promise<void> {
    await this.okButton.click();
    await this.waitForDialog(property);
  }

  async cancel(property: 'file' | 'folder'): Promise<void> {
    await this.editor.page.locator('#node-dialog-cancel').click();
    await this.waitForDialog(property);
  }

  /** Delays the response to the next list request. @returns a function that delivers it, and resolves when it was delivered or aborted */
  async delayNext(): Promise<() => Promise<void>> {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let ended: Promise<void> | undefined;
    const delay = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      await opened;
      // The request may have been aborted.
      await route.fulfill({ response }).catch(() => undefined);
    };
    await this.editor.page.route(/\/files\?/, (route) => (ended = delay(route)), { times: 1 });
    return async () => {
      open();
      await ended;
    };
  }

  private async waitForDialog(property: string): Promise<void> {
    await this.area.waitFor({ state: 'detached' });
    await this.editor.page.locator(`#cloud-drive-choose-${property}`).waitFor();
  }
}
