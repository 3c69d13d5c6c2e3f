/** The tray in which a file or folder is chosen, as a person uses it. */
import type { Locator, Route } from 'playwright-core';
import type { EditorPage } from './editor-page';

export class PickerPage {
  constructor(private readonly editor: EditorPage) {}

  /** Presses the button beside a field of the dialog that is open. */
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

  get take(): Locator {
    return this.editor.page.locator('#node-dialog-ok');
  }

  get chosen(): Locator {
    return this.area.locator('.cloud-drive-chosen');
  }

  /** Why nothing can be shown. */
  get failure(): Locator {
    return this.area.getByRole('alert');
  }

  get search(): Locator {
    return this.area.getByRole('searchbox');
  }

  /** Opens a folder, and resolves when a row of it is there. */
  async expand(folder: string, row: string): Promise<void> {
    await this.row(folder).click();
    await this.row(row).waitFor();
  }

  /** Chooses what is selected, and resolves when the dialog below is back. */
  async choose(property: 'file' | 'folder'): Promise<void> {
    await this.take.click();
    await this.back(property);
  }

  async cancel(property: 'file' | 'folder'): Promise<void> {
    await this.editor.page.locator('#node-dialog-cancel').click();
    await this.back(property);
  }

  /** Holds back the answer to the next listing. @returns lets it through, and resolves when it has come or been left */
  async delayNext(): Promise<() => Promise<void>> {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let ended: Promise<void> | undefined;
    const hold = async (route: Route): Promise<void> => {
      const answer = await route.fetch();
      await opened;
      // Whoever asked may be gone.
      await route.fulfill({ response: answer }).catch(() => undefined);
    };
    await this.editor.page.route(/\/files\?/, (route) => (ended = hold(route)), { times: 1 });
    return async () => {
      open();
      await ended;
    };
  }

  private async back(property: string): Promise<void> {
    await this.area.waitFor({ state: 'detached' });
    await this.editor.page.locator(`#cloud-drive-choose-${property}`).waitFor();
  }
}
