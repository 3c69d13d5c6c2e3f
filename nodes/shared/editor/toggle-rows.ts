/**
 * Shows rows of a dialog only while a select has one of the values given for them.
 * @param rows the values, by the property whose row it is
 */
export function toggleRows(select: string, rows: Readonly<Record<string, readonly string[]>>): void {
  const input = $(`#node-input-${select}`);
  const update = (): void => {
    const value = String(input.val());
    for (const [property, values] of Object.entries(rows)) {
      $(`#node-input-${property}`).closest('.form-row').toggle(values.includes(value));
    }
  };
  input.on('change', update);
  update();
}
