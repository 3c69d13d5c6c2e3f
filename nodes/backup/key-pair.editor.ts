/** Creates a key pair in the dialog: the public key is added to the field, and the private key is shown once. */
import type { KeyPair } from '../shared/contract/dialog-api';
import { adminRequest, errorText } from '../shared/editor/admin-request';
import { sharedText } from '../shared/editor/shared-text';

export function initKeyPair(node: EditorNode): void {
  const button = $('#cloud-drive-create-key');
  button.on('click', () => {
    button.prop('disabled', true);
    void createKeyPair(node).finally(() => button.prop('disabled', false));
  });
}

async function createKeyPair(node: EditorNode): Promise<void> {
  const result = $('#cloud-drive-private-key').empty();
  // Looked up now: when the response arrives, another dialog may be open.
  const field = $('#node-input-recipients');
  try {
    const { identity, recipient } = await adminRequest<KeyPair>('POST', ['key-pair'], {
      node: 'cloud-drive-backup',
      body: {},
    });
    const others = String(field.val()).trimEnd();
    field.val(others === '' ? recipient : `${others}\n${recipient}`).trigger('change');
    const copy = $('<button type="button" class="red-ui-button" id="cloud-drive-copy-key">').text(
      node._('field.copy_key'),
    );
    copy.on('click', () => RED.clipboard.copyText(identity, copy, sharedText('panel.copied')));
    const box = $('<div class="cloud-drive-private-key">').append(
      $('<p>').text(node._('field.private_key')),
      $('<p>').append($('<code>').text(identity)),
      copy,
    );
    result.append(box);
  } catch (error) {
    result.append($('<p class="cloud-drive-bad">').text(errorText(error)));
  }
  // The button may be at the lower end of the dialog, and the private key is shown only once.
  result[0]?.scrollIntoView({ block: 'nearest' });
}
