/** Which fields of the dialog the action needs, what they ask for, and which folder a restore creates. */
import { field, showText, whileEditing } from '../shared/editor/fields';
import { sharedText } from '../shared/editor/shared-text';
import { currentValue, type Validator } from '../shared/editor/validators';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';
import { isReference } from '../shared/contract/values';

type Property = keyof typeof DEFAULTS | 'passphrase' | 'identity';
type Is = (property: keyof typeof DEFAULTS, ...values: string[]) => boolean;

/** The values of `which`. All but `file` search the folder. */
const CHOICES: Readonly<Record<RestoreConfig['from'], readonly string[]>> = {
  archives: ['newest', 'number', 'date', 'file'],
  snapshots: ['newest', 'date', 'id'],
};

const readsContent = (is: Is): boolean => !is('action', 'check') || is('depth', 'content');
const restores = (is: Is): boolean => is('action', 'restore');
const checks = (is: Is): boolean => is('action', 'check');
const checksContent = (is: Is): boolean => checks(is) && is('depth', 'content');
const compares = (is: Is): boolean => checksContent(is) && !is('compareWith', '');
const searches = (is: Is): boolean => !is('which', 'file');
const isSearched = (is: Is): boolean => !is('which', 'file', 'id');

/** The other fields are needed always. */
const NEEDED: Partial<Record<Property, (is: Is) => boolean>> = {
  folder: searches,
  select: (is) => !is('which', 'newest'),
  pattern: (is) => is('from', 'archives') && searches(is),
  allowIncomplete: isSearched,
  sources: (is) => is('from', 'snapshots') && isSearched(is),
  localPath: restores,
  stripTop: restores,
  overwrite: restores,
  maxRatio: restores,
  include: (is) => !checks(is) || compares(is),
  depth: checks,
  maxAge: checks,
  compareWith: checksContent,
  failOnDifferences: compares,
  readData: (is) => checksContent(is) && is('from', 'snapshots'),
  output: (is) => is('action', 'list'),
  passphrase: (is) => is('from', 'snapshots') || readsContent(is),
  identity: (is) => is('from', 'archives') && readsContent(is),
};

/** Validates only while the field is needed. Otherwise it is hidden and not used. */
export function validateNeeded(property: Property, validator: Validator): Validator {
  return function (value, options) {
    return !isNeeded(this, property) || validator.call(this, value, options);
  };
}

/** @param node its saved values count if its dialog isn't open */
export function isNeeded(node: object, property: Property): boolean {
  // A flow saved by an older version lacks some.
  const is: Is = (other, ...values) =>
    values.includes(currentValue(node, other).trim() || String(DEFAULTS[other]));
  return NEEDED[property]?.(is) ?? true;
}

/** Shows the fields that are needed, while the settings change. */
export function showNeededFields(node: EditorNode): void {
  const select = $('#node-input-which');
  whileEditing(() => {
    // While a picker is open, the dialog isn't in the document.
    if (select.closest('body').length === 0) return;
    offerChoices();
    for (const property of Object.keys(NEEDED) as Property[])
      $(`#node-input-${property}`).closest('.cloud-drive-part, .form-row').toggle(isNeeded(node, property));
    const isEncrypted = isNeeded(node, 'passphrase') || isNeeded(node, 'identity');
    $('#cloud-drive-encrypted').toggle(isEncrypted);
    describeFields(node);
  });
}

/** Browsers don't all hide an option, but they all disable it. */
function offerChoices(): void {
  const select = $('#node-input-which');
  const choices = CHOICES[field('from') as RestoreConfig['from']];
  select.find('option').each((_index, option) => {
    const isOffered = choices.includes(String($(option).val()));
    $(option).prop({ disabled: !isOffered, hidden: !isOffered });
  });
  // Node-RED keeps the value of a select in the document, also that of another program's flow.
  if (!choices.includes(field('which'))) select.val('newest').trigger('change');
}

/** Some texts name what is read, or what to enter for it. */
function describeFields(node: EditorNode): void {
  const from = field('from');
  describe(
    $('#cloud-drive-which-label'),
    node._(from === 'snapshots' ? 'field.which_snapshots' : 'field.which'),
  );
  for (const choice of ['newest', 'date']) describe(option(choice), node._(`field.${choice}_${from}`));
  const which = field('which');
  if (which !== 'newest') {
    describe($('#cloud-drive-select-label'), node._(`field.select_${which}`));
    const hint = which === 'file' ? sharedText('hint.file') : node._(`field.select_${which}_hint`);
    $('#cloud-drive-example-select').attr('placeholder', hint);
  }
  describe($('#cloud-drive-include-hint'), node._(`field.include_${field('action')}`));
  describe($('#cloud-drive-encrypted-title'), node._(`field.encrypted_${from}`));
  $('#cloud-drive-choose-select').toggle(field('which') === 'file');
  // Every repository has a passphrase.
  if (from === 'snapshots' && field('passphrase') === '') $('#cloud-drive-encrypted').prop('open', true);
}

function option(which: string): JQuery {
  return $('#node-input-which')
    .find('option')
    .filter((_index, each) => $(each).val() === which);
}

function describe(element: JQuery, text: string): void {
  // The editor translates texts again after it has prepared the dialog.
  showText(element.removeAttr('data-i18n'), text);
}

/** Shows the path of the restored folder, while the fields that determine it change. */
export function showCreatedFolder(node: EditorNode): void {
  const line = $('#cloud-drive-creates');
  whileEditing(() => {
    const path = createdFolder(node);
    showText(line, path === undefined ? '' : node._('field.creates', { path }));
  });
}

/** @returns undefined if a message or the environment determines the path */
function createdFolder(node: EditorNode): string | undefined {
  const path = field('localPath');
  if (field('localPathType') !== 'str' || path === '' || isReference(path)) return undefined;
  const separator = path.includes('\\') ? '\\' : '/';
  const parts = [path.replace(/[/\\]+$/, '')];
  if (field('stripTop') !== 'true') parts.push(sourceName() ?? `<${node._('field.creates_name')}>`);
  return [...parts, '…'].join(separator);
}

/** @returns the last name of the path that is backed up to the same folder, if it is the only one in these flows */
function sourceName(): string | undefined {
  const names = new Set<string | undefined>();
  const properties = ['account', 'folder', 'folderType'];
  RED.nodes.eachNode((other) => {
    const values = other as unknown as Readonly<Record<string, unknown>>;
    if (other.type !== 'cloud-drive-backup' || properties.some((name) => values[name] !== field(name)))
      return;
    const source = String(values['source']);
    const isKnown = values['sourceType'] === 'str' && !isReference(source);
    names.add(isKnown ? source.split(/[/\\]/).filter(Boolean).pop() : undefined);
  });
  return field('which') !== 'file' && names.size === 1 ? [...names][0] : undefined;
}
