/** Prepares the dialog of a flow node when it opens. */
import { showAccountHint } from './account-hint';
import { openChangedSection } from './advanced-section';
import { showFieldErrors } from './field-errors';
import { toggleRows } from './toggle-rows';
import { type TypedInputOptions, initTypedInput } from './typed-input';

export interface DialogOptions {
  /** Typed inputs by property. */
  typedInputs?: Readonly<Record<string, TypedInputOptions>>;
  /** Rows that are shown only for some values of a select or checkbox, by its property; see {@link toggleRows}. */
  rows?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Prepares what only this node's dialog has, before the fields are validated. */
  prepare?: (node: EditorNode) => void;
}

/** @param node the node that is edited */
export function prepareDialog(
  node: EditorNode,
  { typedInputs = {}, rows = {}, prepare }: DialogOptions = {},
): void {
  fillMissingFields(node, 'node-input');
  layOutForm('#dialog-form');
  for (const [property, options] of Object.entries(typedInputs)) initTypedInput(node, property, options);
  for (const [select, valuesByRow] of Object.entries(rows)) toggleRows(select, valuesByRow);
  prepare?.(node);
  openChangedSection(node, 'node-input');
  showFieldErrors(node);
  showAccountHint();
}

/** Applies this package's layout to a dialog: its width, and the column of labels. @param form selector */
export function layOutForm(form: '#dialog-form' | '#node-config-dialog-edit-form'): void {
  $(form).addClass('cloud-drive-form');
}

/**
 * Shows the default in the fields of properties that the node lacks, such as those of a flow saved by an older version.
 * Call it before anything else that reads or changes the fields.
 */
export function fillMissingFields(node: EditorNode, prefix: 'node-input' | 'node-config-input'): void {
  const saved = node as unknown as Record<string, unknown>;
  for (const [property, { value }] of Object.entries(node._def.defaults)) {
    if (saved[property] !== undefined) continue;
    const input = $(`#${prefix}-${property}`);
    if (typeof value === 'boolean') input.prop('checked', value);
    else input.val(String(value));
  }
}
