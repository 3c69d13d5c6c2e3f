/** Tests a search in the dialog: shows the first files that the node would find with the current settings. */
import { errorText } from '../shared/editor/admin-request';
import { BrowseClient } from '../shared/editor/browse-client';
import { fileIcon, fileRow } from '../shared/editor/file-row';
import { isLiteral } from '../shared/contract/literal-value';
import type { SearchTestResult } from '../shared/contract/browse-api';

/** Typed inputs. If their value isn't in the dialog, the test needs an example value. */
const TYPED_INPUTS = ['folder', 'text'] as const;
/** Properties that don't affect the result. */
const UNUSED = ['name', 'account', 'folderPath', 'output'];

/** Call it after all other preparation of the fields. */
export function initSearchTest(node: EditorNode): void {
  const test = new SearchTest(node);
  $('#cloud-drive-test-start').on('click', () => void test.run());
  $('#dialog-form').on('change', () => test.toggleExamples());
  // jQuery UI triggers `remove` when the dialog is closed.
  $('#cloud-drive-test').on('remove', () => test.abort());
  for (const property of TYPED_INPUTS) {
    exampleInput(property).on('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      void test.run();
    });
  }
  test.toggleExamples();
}

class SearchTest {
  private client: BrowseClient | undefined;
  private readonly result = $('#cloud-drive-test-result');

  constructor(private readonly node: EditorNode) {}

  /** Shows the example fields of the inputs whose values aren't in the dialog. */
  toggleExamples(): void {
    for (const property of TYPED_INPUTS)
      exampleInput(property).closest('.form-row').toggle(!hasLiteral(property));
    $('p.cloud-drive-example').toggle(!TYPED_INPUTS.every(hasLiteral));
  }

  async run(): Promise<void> {
    this.abort();
    const account = String($('#node-input-account').val() ?? '');
    if (account === '' || account === '_ADD_') return this.showError(this.node._('test.no_account'));
    const client = new BrowseClient(account);
    this.client = client;
    this.showMessage(this.node._('test.looking'));
    const examples = Object.fromEntries(
      TYPED_INPUTS.map((property) => [property, String(exampleInput(property).val())]),
    );
    try {
      const found = await client.testSearch({ settings: currentSettings(this.node), examples });
      if (!client.isAborted) this.showFiles(found);
    } catch (error) {
      if (!client.isAborted) this.showError(errorText(error));
    }
  }

  abort(): void {
    this.client?.abort();
  }

  private showFiles({ files, more, incomplete }: SearchTestResult): void {
    this.showMessage(this.summary(files.length, more));
    if (incomplete) this.result.append($('<p>').text(this.node._('test.incomplete')));
    if (files.length === 0) return;
    const rows = files.map((file) =>
      $('<li>').append($('<i aria-hidden="true">').addClass(`${fileIcon(file)} fa-fw`), fileRow(file)),
    );
    this.result.append($('<ol class="cloud-drive-found">').append(rows));
    // The button is near the end of a long dialog, so the result may be out of view.
    this.result[0]?.scrollIntoView({ block: 'nearest' });
  }

  private summary(count: number, more: boolean): string {
    const { node } = this;
    if (more) return node._('test.more', { count });
    if (count > 1) return node._('test.all', { count });
    if (count === 1) return node._('test.one');
    const isGoogleContains = $('#node-input-match').val() === 'contains' && this.client?.isGoogle;
    return node._(isGoogleContains ? 'test.none_contains' : 'test.none');
  }

  private showMessage(text: string): void {
    this.result.empty().append($('<p>').text(text));
  }

  private showError(text: string): void {
    this.result.empty().append($('<p class="cloud-drive-bad">').text(text));
  }
}

function exampleInput(property: (typeof TYPED_INPUTS)[number]): JQuery {
  return $(`#cloud-drive-example-${property}`);
}

function hasLiteral(property: (typeof TYPED_INPUTS)[number]): boolean {
  const type = String($(`#node-input-${property}Type`).val());
  return isLiteral(type, String($(`#node-input-${property}`).val()));
}

/** The values in the dialog, whether deployed or not. */
function currentSettings(node: EditorNode): Record<string, string | boolean> {
  const properties = Object.keys(node._def.defaults).filter((property) => !UNUSED.includes(property));
  return Object.fromEntries(
    properties.map((property) => {
      const input = $(`#node-input-${property}`);
      return [property, input.is(':checkbox') ? input.prop('checked') === true : String(input.val() ?? '')];
    }),
  );
}
