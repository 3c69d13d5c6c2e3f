/** A button that opens a form for creating a folder in the selected one. */
import { errorText } from '../admin-request';
import { sharedText } from '../shared-text';

export interface NewFolderOptions {
  /** Path of the parent folder, as the placeholder of the name field. */
  parentPath: () => string;
  /** Rejects with a message for the user. */
  createFolder: (name: string) => Promise<void>;
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
    this.button.on('click', () => this.toggle(!this.form.is(':visible')));
    this.create.on('click', () => void this.submit());
    this.name.on('keydown', (event) => this.onKeydown(event));
  }

  /** @param isPossible whether there is a folder to create it in */
  setPossible(isPossible: boolean): void {
    this.button.prop('disabled', !isPossible).toggleClass('disabled', !isPossible);
    this.button.attr('title', isPossible ? null : sharedText('browse.new_folder_where'));
    if (!isPossible && this.form.is(':visible')) this.toggle(false);
  }

  private toggle(isOpen: boolean): void {
    this.form.toggle(isOpen);
    this.button.attr('aria-expanded', String(isOpen));
    this.problem.text('');
    if (!isOpen) return;
    this.label.text(sharedText('browse.new_folder_name'));
    this.name.val('').attr('placeholder', this.options.parentPath()).trigger('focus');
  }

  private async submit(): Promise<void> {
    const name = String(this.name.val()).trim();
    if (name === '' || name.includes('/')) return void this.problem.text(sharedText('browse.folder_name'));
    this.create.prop('disabled', true);
    this.problem.text('');
    try {
      await this.options.createFolder(name);
      this.toggle(false);
    } catch (error) {
      this.problem.text(errorText(error));
    } finally {
      this.create.prop('disabled', false);
    }
  }

  private onKeydown(event: JQuery.KeyDownEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      void this.submit();
    } else if (event.key === 'Escape') {
      // Otherwise Node-RED would close the dialog.
      event.stopPropagation();
      this.toggle(false);
      this.button.trigger('focus');
    }
  }
}
