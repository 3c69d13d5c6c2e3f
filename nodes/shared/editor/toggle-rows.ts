/** Shows rows only while they apply. */
import { fieldValue } from './field-value';

/**
 * Shows rows of a dialog only while a select has one of the values given for them, or a checkbox is `true` or `false`.
 * @param rows the values, by the property whose row it is
 */
export function toggleRows(control: string, rows: Readonly<Record<string, readonly string[]>>): void {
  const input = $(`#node-input-${control}`);
  const update = (): void => {
    const value = fieldValue(input);
    for (const [property, values] of Object.entries(rows)) {
      $(`#node-input-${property}`).closest('.form-row').toggle(values.includes(value));
    }
  };
  input.on('change', update);
  update();
}
