/** The tray of a picker: what it shows is over the node's dialog until something is chosen or it is cancelled. */
import { sharedText } from '../shared-text';

/** Adds the button that opens a picker. @param open called with what to do when the picker is closed */
export function addChooseButton(property: string, label: string, open: (onClosed: () => void) => void): void {
  const input = $(`#node-input-${property}`);
  const container = input.next('.red-ui-typedInput-container');
  const button = $('<button type="button" class="red-ui-button cloud-drive-choose">')
    .attr({ title: label, 'aria-label': label, id: `cloud-drive-choose-${property}` })
    .append($('<i class="fa fa-folder-open-o" aria-hidden="true">'))
    .on('click', () =>
      open(() => {
        // The editor validates a field only while it is in the document.
        input.trigger('change');
        button.trigger('focus');
      }),
    );
  (container.length === 0 ? input : container).after(button);
}

export abstract class PickerTray {
  /** Aborts all requests of the tray when it is closed. */
  protected readonly controller = new AbortController();
  /** Pixels. The editor reduces it to the available width. */
  protected readonly width: number = 600;
  protected readonly treeElement = $('<div class="cloud-drive-tree">');
  protected readonly chosenLine = $('<div class="cloud-drive-chosen" role="status">');
  protected readonly failure = $('<div class="cloud-drive-failure" role="alert">').hide();
  private okButton: JQuery | undefined;

  /** @param onClosed called when the tray is closed and the node's dialog is back in the document */
  constructor(private readonly onClosed: () => void) {}

  protected abstract fill(picker: JQuery): void;
  protected abstract pickSelected(): void | Promise<void>;

  show(title: string): void {
    RED.tray.show({
      title,
      width: this.width,
      buttons: [
        { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: () => this.close() },
        {
          id: 'node-dialog-ok',
          text: sharedText('browse.take'),
          class: 'primary',
          click: () => void this.pickSelected(),
        },
      ],
      open: (tray) => {
        this.okButton = tray.find('#node-dialog-ok');
        this.fill($('<div class="cloud-drive-picker">').appendTo(tray.find('.red-ui-tray-body')));
      },
      close: () => this.abort(),
    });
  }

  get isAborted(): boolean {
    return this.controller.signal.aborted;
  }

  protected abort(): void {
    this.controller.abort();
  }

  protected close(): void {
    // Closing is animated. A second click meanwhile would close the node's dialog as well.
    if (this.isAborted) return;
    this.abort();
    RED.tray.close(this.onClosed);
  }

  protected enableOk(isEnabled: boolean): void {
    this.okButton?.toggleClass('disabled', !isEnabled).prop('disabled', !isEnabled);
  }

  protected showChosen(text: string): void {
    this.chosenLine.empty().append($('<span>').text(sharedText('browse.chosen')), ' ', $('<b>').text(text));
  }

  /** In place of the tree. */
  protected showFailure(message: string): void {
    this.treeElement.hide();
    this.failure.empty().append($('<p>').text(message)).show();
  }
}
