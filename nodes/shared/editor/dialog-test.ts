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
  /** Whether the test starts without an example. */
  examples: 'required' | 'optional';
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
  const test = new DialogTest(node, options);
  $('#cloud-drive-test-start').on('click', () => void test.start());
  // jQuery UI triggers `remove` when the dialog is closed.
  $('#cloud-drive-test').on('remove', () => test.abort());
  for (const property of options.inputs) {
    exampleInput(property).on('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      void test.start();
    });
  }
  toggleExamples(options);
  $('#dialog-form').on('change', () => toggleExamples(options));
}

class DialogTest {
  private readonly result = $('#cloud-drive-test-result');
  private controller = new AbortController();

  constructor(
    private readonly node: EditorNode,
    private readonly options: DialogTestOptions,
  ) {}

  async start(): Promise<void> {
    const { inputs, running, run } = this.options;
    this.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.show($('<p>').text(running()));
    try {
      this.requireExamples();
      const elements = await run(dialogValues(this.node, inputs), signal);
      if (!signal.aborted) this.show(...elements);
    } catch (error) {
      if (!signal.aborted) this.show($('<p class="cloud-drive-bad">').text(errorText(error)));
    }
    // The button is near the end of a long dialog, so the result may be out of view.
    if (!signal.aborted) this.result[0]?.scrollIntoView({ block: 'nearest' });
  }

  abort(): void {
    this.controller.abort();
  }

  private show(...elements: JQuery[]): void {
    this.result.empty().append(elements);
  }

  /** Without an example, a folder would be the root of the drive. @throws an error to show */
  private requireExamples(): void {
    const { inputs, examples } = this.options;
    if (examples === 'optional') return;
    const missing = inputs.find(
      (property) => usesExample(property, this.options) && example(property).trim() === '',
    );
    if (missing === undefined) return;
    exampleInput(missing).trigger('focus');
    const label = $(`label[for="cloud-drive-example-${missing}"]`).text().trim();
    throw new Error(sharedText('browse.no_example', { label }));
  }
}

/** Shows the example fields of the inputs whose values aren't in the dialog, and the hint about them. */
function toggleExamples(options: DialogTestOptions): void {
  const { inputs } = options;
  for (const property of inputs)
    exampleInput(property).closest('.form-row').toggle(usesExample(property, options));
  $('p.cloud-drive-example').toggle(inputs.some((property) => usesExample(property, options)));
}

function usesExample(property: string, { required = [] }: DialogTestOptions): boolean {
  return !hasLiteral(property) || (required.includes(property) && value(property).trim() === '');
}

function dialogValues(node: EditorNode, inputs: readonly string[]): DialogValues {
  const examples = inputs.map((property) => [property, example(property)]);
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

function example(property: string): string {
  return fieldValue(exampleInput(property));
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
