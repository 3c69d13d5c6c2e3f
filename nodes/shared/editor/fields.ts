/** The fields of a dialog: their values, rows and sections. */

/** @returns the value in a field of a dialog; of a checkbox, `true` or `false` */
export function fieldValue(input: JQuery): string {
  return input.is(':checkbox') ? String(input.prop('checked')) : String(input.val() ?? '');
}

/**
 * Shows rows of a dialog only while a select has one of the values given for them, or a checkbox is `true` or `false`.
 * @param rows the values, by the property whose row it is
 */
export function toggleRows(control: string, rows: Readonly<Record<string, readonly string[]>>): void {
  const input = $(`#node-input-${control}`);
  const update = (): void => {
    const value = fieldValue(input);
    for (const [property, values] of Object.entries(rows)) {
      fieldRow(property).toggle(values.includes(value));
    }
  };
  input.on('change', update);
  update();
}

/**
 * Opens the section “Advanced” if a field in it was changed, because users must see what a node does. Call it after all other
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

/** @returns the value of a property in the dialog of a flow node, without spaces around it */
export function field(property: string): string {
  return fieldValue($(`#node-input-${property}`)).trim();
}

/** The row of a property in the dialog of a flow node. */
export function fieldRow(property: string): JQuery {
  return $(`#node-input-${property}`).closest('.form-row');
}

/** Calls it now, and whenever a field of the dialog changes. */
export function whileEditing(update: () => void): void {
  $('#dialog-form').on('change input', update);
  update();
}

/** Screen readers read the element whenever its text is set. */
export function showText(element: JQuery, text: string): void {
  if (element.text() !== text) element.text(text);
}

/** Keeps the hidden `outputs` field in step with the checkbox `progress`, so that the editor updates the wires. */
export function syncProgressOutput(): void {
  const progress = $('#node-input-progress');
  const update = (): void => {
    $('#node-input-outputs').val(progress.prop('checked') ? 2 : 1);
  };
  progress.on('change', update);
  update();
}

/** Milliseconds between the last input and a search. */
const DELAY = 400;

/** Searches while the user types in a search box. @returns a function that drops a search that is due */
export function searchWhileTyping(input: JQuery, search: () => void): () => void {
  let timer: number | undefined;
  input.on('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(search, DELAY);
  });
  // In a form, Enter would press a button.
  input.on('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  return () => clearTimeout(timer);
}
