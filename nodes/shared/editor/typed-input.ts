/** Node-RED's TypedInput with the types that this package uses. https://nodered.org/docs/api/ui/typedInput/ */
import { addPickerButton, driveInputType } from './picker/picker-button';
import type { Selectable } from './picker/drive-picker';
import { type SharedTextKey, sharedText } from './shared-text';

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
export function initTypedInput(
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
