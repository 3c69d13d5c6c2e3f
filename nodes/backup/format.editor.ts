/** The format in the dialog, an archive or a snapshot in a repository, and the name of the archive. */
import { field, fieldRow, showText, whileEditing } from '../shared/editor/fields';
import { sharedText } from '../shared/editor/shared-text';
import { templateProblem } from '../shared/contract/backup-settings';
import { isReference } from '../shared/contract/values';
import { RETENTION_FIELDS } from '../shared/editor/retention-sentence';
import { currentValue, typedInput, type Validator } from '../shared/editor/validators';

/** A flow saved by an older version has no format. */
export const ARCHIVE = ['archive', ''];

const ROWS = {
  archive: ['targetName', 'compression', 'encryption'],
  snapshot: ['tags', 'packSize', 'maxUnused'],
};

/** Shows the rows of the selected format, also whenever it changes. */
export function initFormat(node: EditorNode): void {
  // The editor translates texts again after it has prepared the dialog.
  const texts = [$('#cloud-drive-keep-hint'), $('#cloud-drive-minimum-unit')] as const;
  for (const text of texts) text.removeAttr('data-i18n');
  const update = (): void => {
    const format = isSnapshot() ? 'snapshot' : 'archive';
    for (const [each, properties] of Object.entries(ROWS))
      for (const property of properties) fieldRow(property).toggle(each === format);
    $('#cloud-drive-archive-hint').toggle(format === 'archive');
    $('#cloud-drive-snapshot-hint').toggle(format === 'snapshot');
    showEncryption(node, format);
    const group = format === 'snapshot' ? 'snapshots' : 'retention';
    texts[0].text(sharedText(`${group}.keep_hint`));
    texts[1].text(sharedText(`${group}.minimum_unit`));
  };
  $('#node-input-format, #node-input-encryption').on('change', update);
  update();
}

/** The passphrase of a repository is required, so its row is outside of the section “Advanced”. */
function showEncryption(node: EditorNode, format: keyof typeof ROWS): void {
  const encryption = format === 'snapshot' ? 'passphrase' : field('encryption');
  const passphrase = fieldRow('passphrase').toggle(encryption === 'passphrase');
  fieldRow('recipients').toggle(encryption === 'recipients');
  const before = fieldRow(format === 'snapshot' ? 'format' : 'encryption');
  if (!passphrase.prev().is(before)) passphrase.insertAfter(before);
  const hint = format === 'snapshot' ? 'field.passphrase_hint_snapshot' : 'field.passphrase_hint';
  $('#cloud-drive-passphrase-hint').text(node._(hint));
}

export function isSnapshot(): boolean {
  return field('format') === 'snapshot';
}

/** Of an Inject node. */
interface InjectProperty {
  p?: string;
  v?: string;
  vt?: string;
}

export const archiveName: Validator = function (value, options) {
  const template = String(value);
  const isTyped = currentValue(this, 'targetNameType') === 'str' && !isReference(template);
  const problem = isTyped ? templateProblem(template) : undefined;
  if (problem) return (this as EditorNode)._(`field.name_${problem[0]}`, problem[1]);
  return typedInput('targetName', 'name').call(this, value, options);
};

/** Shows the name of an archive that would be created today, while the fields that determine it change. */
export function showArchiveName(node: EditorNode): void {
  whileEditing(() => void $('#cloud-drive-name-preview').text(preview(node)));
}

/** Shows a hint while the rules could remove the archives of another source, whose names fit the template too. */
export function showSharedNames(node: EditorNode): void {
  const hint = $('#cloud-drive-names-shared');
  whileEditing(() => {
    const isShared = !isSnapshot() && hasRule() && typedTemplate()?.includes('{name}') === false;
    showText(hint, isShared ? node._('field.names_shared') : '');
  });
}

function hasRule(): boolean {
  const rules = RETENTION_FIELDS.filter((property) => property !== 'minimum');
  return rules.some((property) => Number(field(property)) !== 0);
}

/** @returns undefined for a template that is invalid or comes from elsewhere */
function typedTemplate(): string | undefined {
  const template = field('targetName');
  const isTyped = field('targetNameType') === 'str' && template !== '' && !isReference(template);
  return isTyped && !templateProblem(template) ? template : undefined;
}

function preview(node: EditorNode): string {
  const template = typedTemplate();
  if (template === undefined) return node._('field.preview_hint');
  const now = new Date();
  const two = (number: number): string => String(number).padStart(2, '0');
  const values: Readonly<Record<string, string>> = {
    '{name}': baseName(sourcePath(node)) || 'NAME',
    '{host}': 'raspberrypi',
    '{date}': `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    '{time}': `${two(now.getHours())}-${two(now.getMinutes())}-${two(now.getSeconds())}`,
    '{number}': '0042',
  };
  const name = template.replace(/\{\w+\}/g, (placeholder) => values[placeholder] ?? placeholder);
  return node._('field.preview', { name: `${name}${extension()}` });
}

/** The typed path, or the one that the only Inject node before this node sends; `''` if it is unknown. */
function sourcePath(node: EditorNode): string {
  const value = field('source');
  let sources: InjectProperty[] = [{ p: value, v: value, vt: field('sourceType') }];
  if (field('sourceType') === 'msg') {
    const before = RED.nodes.filterLinks({ target: node }).map(({ source }) => source);
    sources = before.flatMap(({ props }) => (props ?? []) as InjectProperty[]).filter(({ p }) => p === value);
  }
  const { v = '', vt } = sources.length === 1 ? sources[0] : {};
  return vt === 'str' && !isReference(v) ? v : '';
}

function baseName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).pop() ?? '';
}

function extension(): string {
  return `.tar${field('compression') === 'none' ? '' : '.gz'}${field('encryption') === 'none' ? '' : '.age'}`;
}
