/** What a restore creates, in the dialog, as far as it is known there. */
import { isReference } from '../shared/contract/values';
import { fieldValue } from '../shared/editor/fields';

/** Shows the path of the restored folder, while the fields that determine it change. */
export function showCreatedFolder(node: EditorNode): void {
  const line = $('#cloud-drive-creates');
  const update = (): void => {
    const path = createdFolder(node);
    const text = path === undefined ? '' : node._('field.creates', { path });
    // Screen readers read the element whenever it changes.
    if (line.text() !== text) line.text(text);
  };
  $('#dialog-form').on('change input', update);
  update();
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

function field(property: string): string {
  return fieldValue($(`#node-input-${property}`)).trim();
}
