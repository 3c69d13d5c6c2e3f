/** A button, and the line that it opens, to make a folder where one is looking. */
import { reasonOf } from './admin-request';
import { sharedText } from './texts';

export interface NewFolderOptions {
  /** Where the folder will be, for show. */
  place: () => string;
  /** @throws with why not, in words */
  make: (name: string) => Promise<void>;
}

export function newFolderForm({ place, make }: NewFolderOptions): { button: JQuery; form: JQuery } {
  const button = $('<button type="button" class="red-ui-button" aria-expanded="false">').append(
    $('<i class="fa fa-plus" aria-hidden="true">'),
    document.createTextNode(` ${sharedText('browse.new_folder')}`),
  );
  const label = $('<label for="cloud-drive-new-folder">');
  const name = $('<input type="text" id="cloud-drive-new-folder" autocomplete="off">');
  const create = $('<button type="button" class="red-ui-button primary">').text(sharedText('browse.create'));
  const problem = $('<div class="cloud-drive-bad" role="alert">');
  const form = $('<div class="cloud-drive-new-folder">').append(label, name, create, problem).hide();

  const show = (isOpen: boolean): void => {
    form.toggle(isOpen);
    button.attr('aria-expanded', String(isOpen));
    problem.text('');
    if (!isOpen) return;
    label.text(sharedText('browse.new_folder_name'));
    name.val('').attr('placeholder', place()).trigger('focus');
  };
  const press = async (): Promise<void> => {
    const given = String(name.val()).trim();
    if (given === '' || given.includes('/')) return void problem.text(sharedText('browse.folder_name'));
    create.prop('disabled', true);
    problem.text('');
    try {
      await make(given);
      show(false);
    } catch (error) {
      problem.text(reasonOf(error));
    } finally {
      create.prop('disabled', false);
    }
  };
  button.on('click', () => show(!form.is(':visible')));
  create.on('click', () => void press());
  name.on('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      void press();
    } else if (event.key === 'Escape') {
      // Only this line closes, not the dialog.
      event.stopPropagation();
      show(false);
      button.trigger('focus');
    }
  });
  return { button, form };
}
