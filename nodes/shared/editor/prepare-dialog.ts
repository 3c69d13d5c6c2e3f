/** Prepares the dialog of a flow node when it opens. */
import { showAccountHint } from './accounts';
import { openChangedSection, openSection, syncProgressOutput, toggleRows } from './fields';
import { type SharedTextKey, sharedText } from './shared-text';
import { addPickerButton, driveInputType } from './picker/picker-button';
import type { Selectable } from './picker/drive-picker';

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
  if ('progress' in node._def.defaults) syncProgressOutput();
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

/**
 * Shows next to each field why its value is invalid. The editor itself only marks the field red and shows the reason in
 * a tooltip, which neither keyboards nor screen readers reach. Call it after all other preparation of the fields.
 */
export function showFieldErrors(node: EditorNode, kind: 'flow' | 'config' = 'flow'): void {
  const isConfig = kind === 'config';
  const definitions: Record<string, ValidatedProperty> = { ...node._def.defaults, ...node._def.credentials };
  const fields = Object.entries(definitions).flatMap(([property, definition]) => {
    const input = $(`#node-${isConfig ? 'config-' : ''}input-${property}`);
    const isValidated = definition.validate !== undefined || definition.required === true;
    return isValidated && input.length > 0 ? [new ValidatedField(node, definition, input)] : [];
  });
  const validateAll = (): void => fields.forEach((field) => field.validate());
  // The validity of a field may depend on other fields.
  $(isConfig ? '#node-config-dialog-edit-form' : '#dialog-form').on('change keyup', validateAll);
  validateAll();
}

class ValidatedField {
  private readonly message = $('<div class="cloud-drive-problem" role="status">');

  constructor(
    private readonly node: EditorNode,
    private readonly definition: ValidatedProperty,
    private readonly input: JQuery,
  ) {
    this.message.attr('id', `${input.attr('id') ?? ''}-problem`).appendTo(input.closest('.form-row'));
  }

  validate(): void {
    const problem = this.problem();
    if (problem === this.message.text()) return;
    this.message.text(problem);
    const inputs = this.input
      .next('.red-ui-typedInput-container')
      .find('input')
      .addBack('select')
      .add(this.input);
    if (problem === '') inputs.removeAttr('aria-invalid aria-describedby');
    else {
      inputs.attr({ 'aria-invalid': 'true', 'aria-describedby': this.message.attr('id') ?? '' });
      openSection(this.input);
    }
  }

  private problem(): string {
    const value = this.input.val();
    if (this.definition.required && (value === '' || value === '_ADD_'))
      return sharedText('validation.needed');
    // The editor accepts a reference to an environment variable in every field, with this same expression.
    if (!this.definition.validate || /^\$\{[A-Za-z_]\w*\}$/.test(String(value))) return '';
    const result = this.definition.validate.call(this.node, value, {});
    if (typeof result === 'string') return result;
    return result ? '' : sharedText('validation.wrong');
  }
}

/** https://nodered.org/docs/api/ui/typedInput/ */
const TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];

export interface TypedInputOptions {
  /** Adds the type `drive`, with a button that opens the drive picker. */
  selectable?: Selectable;
  /** The picker offers only the account's own drive. */
  ownDriveOnly?: boolean;
  /** Adds types that only this field has. */
  extraTypes?: readonly string[];
  /** Omits the type `msg`, for nodes without an input. */
  hasNoInput?: boolean;
  /** What an empty field means, or an example of a value, while the type is a text. */
  hint: (node: EditorNode) => string;
}

/** What to enter for the other types, by the key of the text. */
const TYPE_HINTS: Readonly<Record<string, SharedTextKey>> = {
  msg: 'hint.property',
  flow: 'hint.context',
  global: 'hint.context',
  env: 'hint.env',
  jsonata: 'hint.jsonata',
};

/** Makes the field of a property a TypedInput. Its type is stored in `<property>Type`. */
function initTypedInput(
  node: EditorNode,
  property: string,
  { selectable, ownDriveOnly, extraTypes = [], hasNoInput = false, hint }: TypedInputOptions,
): void {
  const input = $(`#node-input-${property}`);
  input.typedInput({
    types: [
      ...TYPES.filter((type) => type !== 'msg' || !hasNoInput),
      ...extraTypes,
      ...(selectable ? [driveInputType(property)] : []),
    ],
    typeField: `#node-input-${property}Type`,
  });
  labelVisibleInput(input, property);
  showHint(input, () => hint(node));
  const { defaults } = node._def;
  const defaultText = defaults[`${property}Type`]?.value === 'drive' ? '' : String(defaults[property]?.value);
  if (selectable) addPickerButton(property, { selectable, ownDriveOnly, defaultText });
}

/** Shows the hint in the empty field. It may depend on other fields. */
function showHint(input: JQuery, hint: () => string): void {
  const visibleInput = input.next('.red-ui-typedInput-container').find('.red-ui-typedInput-input');
  const update = (): void => {
    const key = TYPE_HINTS[input.typedInput('type')];
    visibleInput.attr('placeholder', key === undefined ? hint() : sharedText(key));
  };
  $('#dialog-form').on('change', update);
  input.on('typedinputtypechange', update);
  update();
}

/** TypedInput hides the input that the label belongs to, and shows another one that has no label. */
function labelVisibleInput(input: JQuery, property: string): void {
  const label = $(`label[for="node-input-${property}"]`);
  label.attr('id', `node-label-${property}`);
  const container = input.next('.red-ui-typedInput-container');
  container.find('input').attr('aria-labelledby', `node-label-${property}`);
  // These buttons contain only an icon.
  container.find('.red-ui-typedInput-option-expand').attr('aria-label', sharedText('row.expand'));
  label.on('click', () => input.next().find('input:visible').trigger('focus'));
}
