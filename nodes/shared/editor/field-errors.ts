/**
 * Shows next to each field why its value is invalid. The editor itself only marks the field red and shows the reason in
 * a tooltip, which neither keyboards nor screen readers reach.
 */
import { openSection } from './advanced-section';
import { sharedText } from './shared-text';

/** For the open dialog of a node; call it after all other preparation of the fields. */
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
