/** A field whose value comes from the message, the context, the environment, an expression, or is typed in. */
import { driveButton, driveType } from './drive-field';
import type { PickOptions } from './drive-picker';
import { sharedText } from './texts';

const SOURCES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];

export interface TypedField {
  /** The node's property; its type is in `<property>Type`. */
  property: string;
  /** What may be chosen on the drive instead. */
  onDrive?: PickOptions['what'];
  /** Types that only this field has. */
  more?: string[];
  /** Of a node without an input: there is no message to read. */
  noMessage?: boolean;
}

/** Turns the input of a node's property into Node-RED's TypedInput. */
export function typedField(
  node: EditorNode,
  { property, onDrive, more = [], noMessage = false }: TypedField,
): void {
  const input = $(`#node-input-${property}`);
  input.typedInput({
    types: [
      ...SOURCES.filter((each) => each !== 'msg' || !noMessage),
      ...more,
      ...(onDrive ? [driveType(property)] : []),
    ],
    typeField: `#node-input-${property}Type`,
  });
  nameForReaders(input, property);
  const { defaults } = node._def;
  const otherwise = defaults[`${property}Type`]?.value === 'drive' ? '' : String(defaults[property]?.value);
  if (onDrive) driveButton({ property, what: onDrive, otherwise });
}

/** The label points at the input that TypedInput hides: the one it shows instead would have no name. */
function nameForReaders(input: JQuery, property: string): void {
  const label = $(`label[for="node-input-${property}"]`);
  label.attr('id', `node-label-${property}`);
  const container = input.next('.red-ui-typedInput-container');
  container.find('input').attr('aria-labelledby', `node-label-${property}`);
  // An icon is all that these buttons have.
  container.find('.red-ui-typedInput-option-expand').attr('aria-label', sharedText('row.expand'));
  label.on('click', () => input.next().find('input:visible').trigger('focus'));
}
