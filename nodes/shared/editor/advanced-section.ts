/** The section “Advanced” of a dialog: the fields that most users leave as they are. It is closed at first. */
import { fieldValue } from './field-value';

/**
 * Opens the section if a field in it was changed, because users must see what a node does. Call it after all other
 * preparation of the fields. {@link showFieldErrors} opens the section for an invalid field.
 * @param exceptions properties whose fields may differ from their defaults
 */
export function openChangedSection(
  node: EditorNode,
  prefix: 'node-input' | 'node-config-input',
  exceptions: readonly string[] = [],
): void {
  for (const [property, { value }] of Object.entries(node._def.defaults)) {
    const input = $(`#${prefix}-${property}`);
    const isShown = input.closest('.form-row').css('display') !== 'none';
    // An empty field means the default.
    const isChanged = !['', String(value)].includes(fieldValue(input));
    if (isShown && isChanged && !exceptions.includes(property)) openSection(input);
  }
}

/** Opens the section “Advanced” if the field is in it. */
export function openSection(input: JQuery): void {
  input.closest('details.cloud-drive-advanced').prop('open', true);
}
