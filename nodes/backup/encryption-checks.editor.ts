/** What the backup dialog needs for encryption: a passphrase, or public keys. */
import { isPrivateKey, isRecipient, parseRecipients } from '../shared/contract/age-keys';
import type { Validator } from '../shared/editor/validators';

/** For the password field. The editor shows `__PWRD__` for a passphrase that is stored. */
export const passphrase: Validator = function (value, _options) {
  return String(value).trim() !== '' || (this as EditorNode)._('field.passphrase_missing');
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
