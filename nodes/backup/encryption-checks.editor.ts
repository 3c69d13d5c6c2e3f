/** What the backup dialog needs for encryption, a passphrase or public keys, and for snapshots. */
import {
  MIN_PASSPHRASE,
  isPrivateKey,
  isRecipient,
  parseRecipients,
  tagProblem,
} from '../shared/contract/backup-settings';
import { isReference } from '../shared/contract/values';
import { type Validator, currentValue } from '../shared/editor/validators';

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
