/** A field whose value comes from the message, the context, the environment, an expression, or is typed in. */
import { sharedText } from './texts';

const SOURCES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];

export interface TypedField {
  /** The node's property; its type is in `<property>Type`. */
  property: string;
  /** Takes a file or folder, so that it may also be one that was chosen on the drive. */
  onDrive?: boolean;
  /** Types that only this field has. */
  more?: string[];
}

/** Turns the input of a property into Node-RED's TypedInput. */
export function typedField({ property, onDrive = false, more = [] }: TypedField): void {
  const input = $(`#node-input-${property}`);
  input.typedInput({
    types: [...SOURCES, ...more, ...(onDrive ? [driveType()] : [])],
    typeField: `#node-input-${property}Type`,
  });
  nameForReaders(input, property);
}

/** The id of a file or folder on the drive. */
function driveType(): TypedInputType {
  return { value: 'drive', label: sharedText('drive_type'), icon: 'fa fa-cloud', hasValue: true };
}

/** The label points at the input that TypedInput hides: the one it shows instead would have no name. */
function nameForReaders(input: JQuery, property: string): void {
  const label = $(`label[for="node-input-${property}"]`);
  label.attr('id', `node-label-${property}`);
  input.next('.red-ui-typedInput-container').find('input').attr('aria-labelledby', `node-label-${property}`);
  label.on('click', () => input.next().find('input:visible').trigger('focus'));
}
