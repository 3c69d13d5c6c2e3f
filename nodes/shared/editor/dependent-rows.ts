/** Rows that matter only for some choices are hidden for the others. */

/**
 * Shows each row only while the property has one of the values given for it.
 * @param rows value list by the property of the row
 */
export function rowsByChoice(property: string, rows: Readonly<Record<string, readonly string[]>>): void {
  const select = $(`#node-input-${property}`);
  const update = (): void => {
    const value = String(select.val());
    for (const [row, values] of Object.entries(rows)) {
      $(`#node-input-${row}`).closest('.form-row').toggle(values.includes(value));
    }
  };
  select.on('change', update);
  update();
}
