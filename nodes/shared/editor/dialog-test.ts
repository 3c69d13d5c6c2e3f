/**
 * The section of a dialog that tries the settings, deployed or not, without changing anything. Typed inputs whose
 * values aren't in the dialog have a field for an example, `#cloud-drive-example-<property>`.
 */
import { isLiteral } from '../contract/values';
import { errorText } from './admin-request';
import { field, fieldValue } from './fields';
import { sharedText } from './shared-text';

export interface DialogTestOptions {
  /** Typed inputs. */
  inputs: readonly string[];
  /** Those that need an example if they are empty. */
  required?: readonly string[];
  /** Whether a typed input affects the result; all do by default. */
  isUsed?: (property: string) => boolean;
  /** Settings that don't affect the result, besides the name. */
  unrelated?: readonly string[];
  /** Whether the test starts without an example. */
  examples: 'required' | 'optional';
  /** Shown until there is a result. */
  running: () => string;
  /** Adds a button that ends the test, next to what is shown while it runs. */
  isCancellable?: boolean;
  /** @param report shows another text until there is a result. @returns what to show */
  run: (values: DialogValues, signal: AbortSignal, report: (text: string) => void) => Promise<JQuery[]>;
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
  $('#dialog-form').on('change input', () => test.clearIfOutdated());
}

class DialogTest {
  private readonly result = $('#cloud-drive-test-result');
  private controller = new AbortController();
  /** What was in the dialog at the start, as JSON. */
  private tested = '';

  constructor(
    private readonly node: EditorNode,
    private readonly options: DialogTestOptions,
  ) {}

  async start(): Promise<void> {
    const { running, run } = this.options;
    const text = $('<p>').text(running());
    this.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.tested = this.current();
    this.show(text, ...this.cancelButton());
    try {
      this.requireExamples();
      const values = dialogValues(this.node, this.options);
      const elements = await run(values, signal, (newText) => text.text(newText));
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

  private cancelButton(): JQuery[] {
    if (!this.options.isCancellable) return [];
    const button = $('<button type="button" class="red-ui-button" id="cloud-drive-test-cancel">');
    button.text(RED._('common.label.cancel')).on('click', () => {
      this.abort();
      this.tested = '';
      this.show();
      $('#cloud-drive-test-start').trigger('focus');
    });
    return [button];
  }

  /** Fields also report changes that aren't any, so the values are compared. */
  clearIfOutdated(): void {
    if (this.tested === '' || this.tested === this.current()) return;
    this.abort();
    this.tested = '';
    this.result.empty();
  }

  private current(): string {
    return JSON.stringify([dialogValues(this.node, this.options), fieldValue($('#node-input-account'))]);
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

function usesExample(property: string, { required = [], isUsed = () => true }: DialogTestOptions): boolean {
  if (!isUsed(property)) return false;
  return !hasLiteral(property) || (required.includes(property) && field(property) === '');
}

function dialogValues(node: EditorNode, options: DialogTestOptions): DialogValues {
  const examples = options.inputs.map((property) => [property, example(property)]);
  return {
    settings: currentSettings(node, options),
    examples: Object.fromEntries(examples) as Record<string, string>,
  };
}

/** @returns what the fields of the dialog contain */
export function dialogSettings(node: EditorNode): Record<string, string | boolean> {
  return currentSettings(node, { inputs: [] });
}

/** Those that affect the result. The path of a chosen folder is only displayed, and may be read later than its id. */
function currentSettings(
  node: EditorNode,
  { inputs, unrelated = [] }: Pick<DialogTestOptions, 'inputs' | 'unrelated'>,
): Record<string, string | boolean> {
  const omitted = ['name', 'account', ...inputs.map((property) => `${property}Path`), ...unrelated];
  const properties = Object.keys(node._def.defaults).filter((property) => !omitted.includes(property));
  return Object.fromEntries(
    properties.map((property) => {
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
  return isLiteral(field(`${property}Type`), field(property));
}

/** Names come from the disk or the drive, so they are inserted as text, never as HTML. */
export function nameList(rows: readonly JQuery[]): JQuery {
  const items = rows.map((row) => $('<li>').append(row));
  return rows.length === 0 ? $() : $('<ol class="cloud-drive-found">').append(items);
}

export function nameRow(name: string): JQuery {
  return $('<span class="cloud-drive-file-name">').text(name);
}
