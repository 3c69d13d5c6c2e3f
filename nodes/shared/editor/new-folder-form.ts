/** A button, and the line that it opens, to make a folder where one is looking. */
import { reasonOf } from './admin-request';
import { sharedText } from './texts';

export interface NewFolderOptions {
  /** Where the folder will be, for show. */
  place: () => string;
  /** @throws with why not, in words */
  make: (name: string) => Promise<void>;
}

export class NewFolderForm {
  readonly button = $('<button type="button" class="red-ui-button" aria-expanded="false">').append(
    $('<i class="fa fa-plus" aria-hidden="true">'),
    document.createTextNode(` ${sharedText('browse.new_folder')}`),
  );
  readonly form = $('<div class="cloud-drive-new-folder">');
  private readonly label = $('<label for="cloud-drive-new-folder">');
  private readonly name = $('<input type="text" id="cloud-drive-new-folder" autocomplete="off">');
  private readonly create = $('<button type="button" class="red-ui-button primary">');
  private readonly problem = $('<div class="cloud-drive-bad" role="alert">');

  constructor(private readonly options: NewFolderOptions) {
    this.create.text(sharedText('browse.create'));
    this.form.append(this.label, this.name, this.create, this.problem).hide();
    this.button.on('click', () => this.show(!this.form.is(':visible')));
    this.create.on('click', () => void this.make());
    this.name.on('keydown', (event) => this.onKey(event));
  }

  private show(isOpen: boolean): void {
    this.form.toggle(isOpen);
    this.button.attr('aria-expanded', String(isOpen));
    this.problem.text('');
    if (!isOpen) return;
    this.label.text(sharedText('browse.new_folder_name'));
    this.name.val('').attr('placeholder', this.options.place()).trigger('focus');
  }

  private async make(): Promise<void> {
    const name = String(this.name.val()).trim();
    if (name === '' || name.includes('/')) return void this.problem.text(sharedText('browse.folder_name'));
    this.create.prop('disabled', true);
    this.problem.text('');
    try {
      await this.options.make(name);
      this.show(false);
    } catch (error) {
      this.problem.text(reasonOf(error));
    } finally {
      this.create.prop('disabled', false);
    }
  }

  private onKey(event: JQuery.KeyDownEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      void this.make();
    } else if (event.key === 'Escape') {
      // Only this line closes, not the dialog.
      event.stopPropagation();
      this.show(false);
      this.button.trigger('focus');
    }
  }
}
