/** The name of the archive in the dialog: its template, and an example of the result. */
import { templateProblem } from '../shared/contract/backup-settings';
import { isReference } from '../shared/contract/values';
import { RETENTION_FIELDS } from '../shared/editor/retention-sentence';
import { type Validator, currentValue, typedInput } from '../shared/editor/validators';
import { isSnapshot } from './format.editor';

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
  const update = (): void => {
    $('#cloud-drive-name-preview').text(preview(node));
  };
  $('#dialog-form').on('change keyup', update);
  update();
}

/** Shows a hint while the rules could remove the archives of another source, whose names fit the template too. */
export function showSharedNames(node: EditorNode): void {
  const hint = $('#cloud-drive-names-shared');
  const update = (): void => {
    const isShared = !isSnapshot() && hasRule() && typedTemplate()?.includes('{name}') === false;
    const text = isShared ? node._('field.names_shared') : '';
    // Screen readers read the element whenever it changes.
    if (hint.text() !== text) hint.text(text);
  };
  $('#dialog-form').on('change input', update);
  update();
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

function field(property: string): string {
  return String($(`#node-input-${property}`).val() ?? '').trim();
}
