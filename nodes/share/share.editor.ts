/** The share node in the editor: shares files, lists who has access, and removes access. */
import { isReference } from '../shared/contract/values';
import { parseTime } from '../shared/contract/parse-time';
import { isGoogleAccount } from '../shared/editor/browse-client';
import { field, fieldRow, showText, whileEditing } from '../shared/editor/fields';
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { currentValue, typedInput, type Validator } from '../shared/editor/validators';
import { isDomain, isEmailAddress, latestExpiration } from './grantee';
import { DEFAULTS } from './share.defaults';

const LABELS: Readonly<Partial<Record<string, string>>> = { remove: 'label_remove', list: 'label_list' };

const isPublic = (grantee: string): boolean => grantee === 'anyone' || grantee === 'domain';

const address: Validator = function (value, options) {
  const grantee = currentValue(this, 'with');
  if (currentValue(this, 'action') === 'list' || grantee === 'anyone') return true;
  const text = String(value).trim();
  if (currentValue(this, 'toType') !== 'str' || isReference(text))
    return typedInput('to', 'anything').call(this, value, options);
  if (grantee === 'domain') return isDomain(text) || sharedText('validation.domain');
  return isEmailAddress(text) || sharedText('validation.email');
};

/** Shown below the row of both selects. */
const grantee: Validator = function (value, _options) {
  const isManager = ['fileOrganizer', 'organizer'].includes(currentValue(this, 'role'));
  const isShared = currentValue(this, 'action') === 'share';
  return !isShared || !isManager || !isPublic(String(value)) || sharedText('validation.share_role');
};

const expires: Validator = function (value, _options) {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '' || currentValue(this, 'action') !== 'share') return true;
  if (isPublic(currentValue(this, 'with'))) return sharedText('validation.expires_public');
  const now = Date.now();
  const time = parseTime(text, now, 'after');
  if (time === undefined || time <= now) return sharedText('validation.expires');
  const isTooLate = time > latestExpiration(now) && isGoogleAccount(currentValue(this, 'account'));
  return !isTooLate || sharedText('validation.expires_year');
};

registerFlowNode('share', DEFAULTS, {
  validators: { file: typedInput('file', 'file'), with: grantee, to: address, expires },
  label() {
    const action = this._(LABELS[this.action] ?? 'label');
    const name = labelValue(this, 'file');
    return name === '' ? action : this._('label_name', { action, name });
  },
  dialog: {
    typedInputs: {
      file: { selectable: 'any', hint: () => sharedText('hint.file') },
      to: { hint: () => (field('with') === 'domain' ? 'example.com' : 'ann@example.com') },
    },
    prepare(node) {
      whileEditing(() => {
        showRows();
        showSentence((key, params) => node._(`sentence.${key}`, params));
      });
    },
  },
});

/** Shows the rows that apply. Role and grantee share one. */
function showRows(): void {
  const [action, who] = [field('action'), field('with')];
  const isShare = action === 'share';
  const show = (property: string, isShown: boolean): void => void fieldRow(property).toggle(isShown);
  show('with', action !== 'list');
  $('#node-input-role').toggle(isShare);
  show('to', action !== 'list' && who !== 'anyone');
  show('discoverable', isPublic(who));
  show('notify', !isPublic(who));
  show('message', !isPublic(who) && field('notify') === 'true');
  // An invalid value must be visible.
  show('expires', !isPublic(who) || field('expires') !== '');
  $('.cloud-drive-advanced').toggle(isShare);
}

function showSentence(text: (key: string, params?: Record<string, string>) => string): void {
  const input = $('#node-input-to');
  const type = String(input.typedInput('type'));
  const to = type === 'str' ? field('to') || '…' : `${type}.${field('to')}`;
  const sentence = shareSentence(
    {
      ...{ action: field('action'), with: field('with'), role: field('role'), to },
      ...{ discoverable: field('discoverable') === 'true', notify: field('notify') === 'true' },
      expires: field('expires'),
    },
    text,
  );
  showText($('#cloud-drive-share-sentence'), sentence);
}

/** The values of the fields. */
interface ShareFields {
  action: string;
  with: string;
  role: string;
  /** The address, or where it comes from. */
  to: string;
  discoverable: boolean;
  notify: boolean;
  expires: string;
}

/** @param text a text of the node's catalogue, by its key below `sentence` */
function shareSentence(
  fields: ShareFields,
  text: (key: string, params?: Record<string, string>) => string,
): string {
  const { action, with: grantee, role, to, expires } = fields;
  if (action === 'list') return text('list');
  const isPublic = grantee === 'anyone' || grantee === 'domain';
  if (action === 'remove') return text(grantee === 'anyone' ? 'remove_anyone' : 'remove', { to });
  const who = isPublic && fields.discoverable ? `${grantee}_found` : grantee;
  const sentences = [text(who, { to, can: text(`can_${role}`) })];
  if (!isPublic) {
    sentences.push(text(fields.notify ? 'notify' : 'silent'));
    if (expires !== '') sentences.push(text('expires', { expires }));
  }
  return sentences.join(' ');
}
