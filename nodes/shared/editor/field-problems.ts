/**
 * Says beside each field why its value can't be used. The editor itself only paints the field red and says why in a
 * bubble, which neither the keyboard nor a screen reader gets to.
 */
import { sharedText } from './texts';

/** Of a flow node's open dialog; once its fields are what they will be. */
export function fieldProblems(node: EditorNode): void {
  const fields = Object.entries(node._def.defaults).flatMap(([property, definition]) => {
    const input = $(`#node-input-${property}`);
    const isChecked = definition.validate !== undefined || definition.required === true;
    return isChecked && input.length > 0 ? [new Field(node, definition, input)] : [];
  });
  const check = (): void => fields.forEach((field) => field.check());
  // One field may decide about another.
  $('#dialog-form').on('change keyup', check);
  check();
}

class Field {
  private readonly line = $('<div class="cloud-drive-problem" role="status">');

  constructor(
    private readonly node: EditorNode,
    private readonly definition: CheckedProperty,
    private readonly input: JQuery,
  ) {
    this.line.attr('id', `${input.attr('id') ?? ''}-problem`).appendTo(input.closest('.form-row'));
  }

  check(): void {
    const problem = this.problem();
    if (problem === this.line.text()) return;
    this.line.text(problem);
    const shown = this.input
      .next('.red-ui-typedInput-container')
      .find('input')
      .addBack('select')
      .add(this.input);
    if (problem === '') shown.removeAttr('aria-invalid aria-describedby');
    else shown.attr({ 'aria-invalid': 'true', 'aria-describedby': this.line.attr('id') ?? '' });
  }

  private problem(): string {
    const value = this.input.val();
    if (this.definition.required && (value === '' || value === '_ADD_'))
      return sharedText('validation.needed');
    // The editor takes a reference to an environment variable for good, whatever the field is.
    if (!this.definition.validate || /^\$\{[A-Za-z_]\w*\}$/.test(String(value))) return '';
    const verdict = this.definition.validate.call(this.node, value, {});
    if (typeof verdict === 'string') return verdict;
    return verdict ? '' : sharedText('validation.wrong');
  }
}
