/** The second output of a transfer: there while `progress` is ticked. */
import { sharedText } from './texts';

/** Saves `outputs` with the box, so that the wires follow it. */
export function progressOutput(): void {
  const box = $('#node-input-progress');
  const update = (): void => {
    $('#node-input-outputs').val(box.prop('checked') ? 2 : 1);
  };
  box.on('change', update);
  update();
}

/** Name of that output's port. */
export function progressLabel(): string {
  return sharedText('output.progress');
}
