/** @returns the value in a field of a dialog; of a checkbox, `true` or `false` */
export function fieldValue(input: JQuery): string {
  return input.is(':checkbox') ? String(input.prop('checked')) : String(input.val() ?? '');
}
