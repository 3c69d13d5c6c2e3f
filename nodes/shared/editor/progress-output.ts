/** The second output of transfers, which exists while `progress` is ticked. */
import { sharedText } from './shared-text';

/** Keeps the hidden `outputs` field in step with the checkbox, so that the editor updates the wires. */
export function syncProgressOutput(): void {
  const progress = $('#node-input-progress');
  const update = (): void => {
    $('#node-input-outputs').val(progress.prop('checked') ? 2 : 1);
  };
  progress.on('change', update);
  update();
}

/** Label of the second output's port. */
export function progressOutputLabel(): string {
  return sharedText('output.progress');
}
