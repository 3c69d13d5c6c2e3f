/**
 * A field that takes a file or folder of the drive: the `drive` type shows the path of what was chosen, and a button
 * opens the drive to choose on. The id is the property's value, the path is kept in `<property>Path`.
 */
import { type Choice, type PickOptions, pickOnDrive } from './drive-picker';
import { sharedText } from './texts';

/** The type of the field, to be given to TypedInput. */
export function driveType(property: string): TypedInputType {
  // While something is chosen the dialog is not in the page.
  const path = $(`#node-input-${property}Path`);
  return {
    value: 'drive',
    label: sharedText('drive_type'),
    icon: 'fa fa-cloud',
    hasValue: true,
    valueLabel(container, id) {
      const text = id === '' ? sharedText('browse.nothing_chosen') : String(path.val() || id);
      const shown = $('<span class="cloud-drive-path">').text(text).attr('title', id);
      container.append(shown.toggleClass('cloud-drive-none', id === ''));
    },
  };
}

export interface DriveField {
  property: string;
  what: PickOptions['what'];
  /** What the field holds where another type is chosen and nothing was typed yet. */
  otherwise: string;
}

/** Adds the button to a field that has become a TypedInput with the `drive` type. */
export function driveButton({ property, what, otherwise }: DriveField): void {
  const input = $(`#node-input-${property}`);
  const memory = rememberByType(property, otherwise);
  const account = $('#node-input-account');
  const label = sharedText(`browse.open_${what}`);
  const button = $('<button type="button" class="red-ui-button cloud-drive-choose">')
    .attr({ title: label, 'aria-label': label, id: `cloud-drive-choose-${property}` })
    .append($('<i class="fa fa-folder-open-o" aria-hidden="true">'))
    .on('click', () => {
      const id = String(account.val() ?? '');
      pickOnDrive({
        account: id === '_ADD_' ? '' : id,
        what,
        onChoice: memory.choose,
        onClosed: () => {
          // The editor checks a field only while it is in the page.
          input.trigger('change');
          button.trigger('focus');
        },
      });
    });
  input.next('.red-ui-typedInput-container').after(button);
}

/** An id means nothing as the name of a message property, nor the other way round: each kind of type has its own value. */
function rememberByType(property: string, otherwise: string): { choose: (choice: Choice) => void } {
  const input = $(`#node-input-${property}`);
  const path = $(`#node-input-${property}Path`);
  let type = input.typedInput('type');
  let chosen: Choice = { id: '', path: '' };
  let typed = otherwise;
  if (type === 'drive') chosen = { id: String(input.val()), path: String(path.val()) };
  else typed = String(input.val());

  const show = (): void => {
    path.val(type === 'drive' ? chosen.path : '');
    input.typedInput('value', type === 'drive' ? chosen.id : typed);
  };
  input.on('change keyup', () => {
    if (type !== 'drive' && input.typedInput('type') === type) typed = String(input.val());
  });
  input.on('typedinputtypechange', (_event, next: string) => {
    const isOther = (type === 'drive') !== (next === 'drive');
    type = next;
    if (isOther) show();
  });
  return {
    choose: (choice) => {
      chosen = choice;
      if (type === 'drive') show();
      else input.typedInput('type', 'drive');
    },
  };
}
