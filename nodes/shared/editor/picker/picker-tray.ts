/** The tray of a picker: what it shows is over the node's dialog until something is chosen or it is cancelled. */
import { sharedText } from '../shared-text';

export interface Picker {
  /** Fills the tray. */
  build(tray: JQuery): void;
  pickSelected(): void | Promise<void>;
  close(): void;
  /** Ends all requests. Also called when the editor closes the tray. */
  abort(): void;
}

/** Pixels. The editor reduces it to the available width. */
const WIDTH = 600;

export function showPicker(title: string, picker: Picker): void {
  RED.tray.show({
    title,
    width: WIDTH,
    buttons: [
      { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: () => picker.close() },
      {
        id: 'node-dialog-ok',
        text: sharedText('browse.take'),
        class: 'primary',
        click: () => void picker.pickSelected(),
      },
    ],
    open: (tray) => picker.build(tray),
    close: () => picker.abort(),
  });
}
