/**
 * The section of a dialog that tries the settings, deployed or not, without changing anything. Typed inputs whose values
 * aren't in the dialog have a field for an example, `#cloud-drive-example-<property>`.
 */
import { isLiteral } from '../contract/literal-value';
import { errorText } from './admin-request';
import { fieldValue } from './field-value';
import { sharedText } from './shared-text';

export interface DialogTestOptions {
  /** Typed inputs. */
  inputs: readonly string[];
  /** Those that need an example if they are empty. */
  required?: readonly string[];
  /** Shown until there is a result. */
  running: () => string;
  /** @returns what to show */
  run: (values: DialogValues, signal: AbortSignal) => Promise<JQuery[]>;
}

export interface DialogValues {
  /** The fields of the dialog. */
  settings: Record<string, string | boolean>;
  /** The examples, by property. */
  examples: Record<string, string>;
}

/** Call it after all other preparation of the fields. */
export function initDialogTest(node: EditorNode, options: DialogTestOptions): void {
  const { inputs, running, run } = options;
  const result = $('#cloud-drive-test-result');
  const show = (...elements: JQuery[]): void => void result.empty().append(elements);
  let controller = new AbortController();
  const start = async (): Promise<void> => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    show($('<p>').text(running()));
    try {
      const elements = await run(dialogValues(node, inputs), signal);
      if (!signal.aborted) show(...elements);
    } catch (error) {
      if (!signal.aborted) show($('<p class="cloud-drive-bad">').text(errorText(error)));
    }
    // The button is near the end of a long dialog, so the result may be out of view.
    if (!signal.aborted) result[0]?.scrollIntoView({ block: 'nearest' });
  };
  $('#cloud-drive-test-start').on('click', () => void start());
  // jQuery UI triggers `remove` when the dialog is closed.
  $('#cloud-drive-test').on('remove', () => controller.abort());
  for (const property of inputs) {
    exampleInput(property).on('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      void start();
    });
  }
  toggleExamples(options);
  $('#dialog-form').on('change', () => toggleExamples(options));
}

/** Shows the example fields of the inputs whose values aren't in the dialog, and the hint about them. */
function toggleExamples({ inputs, required = [] }: DialogTestOptions): void {
  let needsExample = false;
  for (const property of inputs) {
    const isInDialog =
      hasLiteral(property) && !(required.includes(property) && value(property).trim() === '');
    exampleInput(property).closest('.form-row').toggle(!isInDialog);
    needsExample ||= !isInDialog;
  }
  $('p.cloud-drive-example').toggle(needsExample);
}

function dialogValues(node: EditorNode, inputs: readonly string[]): DialogValues {
  const examples = inputs.map((property) => [property, String(exampleInput(property).val() ?? '')]);
  return {
    settings: currentSettings(node),
    examples: Object.fromEntries(examples) as Record<string, string>,
  };
}

/** Without the name and the account, which don't affect the result. */
function currentSettings(node: EditorNode): Record<string, string | boolean> {
  const { name: _name, account: _account, ...properties } = node._def.defaults;
  return Object.fromEntries(
    Object.keys(properties).map((property) => {
      const input = $(`#node-input-${property}`);
      return [property, input.is(':checkbox') ? input.prop('checked') === true : fieldValue(input)];
    }),
  );
}

/** @returns the value in the dialog if it is there, otherwise the example */
export function literalOrExample(property: string, { settings, examples }: DialogValues): string | undefined {
  const setting = String(settings[property]);
  return hasLiteral(property) && setting.trim() !== '' ? setting : examples[property];
}

/** The id of the account selected in the dialog. @throws an error to show */
export function selectedAccount(): string {
  const account = fieldValue($('#node-input-account'));
  if (account === '' || account === '_ADD_') throw new Error(sharedText('browse.no_account'));
  return account;
}

function exampleInput(property: string): JQuery {
  return $(`#cloud-drive-example-${property}`);
}

/** Whether the value is in the dialog, not in a message, the context or the environment. */
function hasLiteral(property: string): boolean {
  return isLiteral(fieldValue($(`#node-input-${property}Type`)), value(property));
}

function value(property: string): string {
  return fieldValue($(`#node-input-${property}`));
}

/** Names come from the disk or the drive, so they are inserted as text, never as HTML. */
export function nameList(rows: readonly JQuery[]): JQuery {
  const items = rows.map((row) => $('<li>').append(row));
  return rows.length === 0 ? $() : $('<ol class="cloud-drive-found">').append(items);
}

export function nameRow(name: string): JQuery {
  return $('<span class="cloud-drive-file-name">').text(name);
}
