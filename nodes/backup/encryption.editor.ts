/** What the backup dialog needs for encryption, a passphrase or public keys, and for snapshots. */
import {
  isPrivateKey,
  isRecipient,
  MIN_PASSPHRASE,
  parseRecipients,
  tagProblem,
} from '../shared/contract/backup-settings';
import { isReference } from '../shared/contract/values';
import { currentValue, type Validator } from '../shared/editor/validators';
import type { KeyPair } from '../shared/contract/dialog-api';
import { adminRequest, errorText } from '../shared/editor/admin-request';
import { sharedText } from '../shared/editor/shared-text';

/** For the password field. The editor shows `__PWRD__` for a passphrase that is stored. */
export const passphrase: Validator = function (value, _options) {
  const isSnapshot = currentValue(this, 'format') === 'snapshot';
  if (!isSnapshot && currentValue(this, 'encryption') !== 'passphrase') return true;
  const text = String(value);
  const node = this as EditorNode;
  if (text.trim() === '') return node._('field.passphrase_missing');
  const isShort = isSnapshot && !isReference(text) && [...text].length < MIN_PASSPHRASE;
  return !isShort || node._('field.passphrase_short');
};

export const tags: Validator = function (value, _options) {
  const problem = isReference(String(value)) ? undefined : tagProblem(String(value).split('\n'));
  return problem === undefined || (this as EditorNode)._(`field.tags_${problem.kind}`);
};

export const publicKeys: Validator = function (value, _options) {
  const node = this as EditorNode;
  const keys = parseRecipients(String(value));
  if (keys.length === 0) return node._('field.recipients_missing');
  const invalid = keys.find((key) => !isRecipient(key));
  if (invalid === undefined) return true;
  // The workspace shows the message too.
  if (isPrivateKey(invalid)) return node._('field.recipients_private');
  return node._('field.recipients_invalid', { key: invalid });
};

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
