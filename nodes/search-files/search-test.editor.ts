/** Shows in the dialog what the node would find first with what is set there. The search itself is the node's own. */
import { reasonOf } from '../shared/editor/admin-request';
import { DriveRequests, type SearchTestResult } from '../shared/editor/drive-requests';
import { fileIcon, fileRow } from '../shared/editor/file-row';
import { isLiteral } from '../shared/contract/literal-value';

/** Properties that can come from elsewhere, and then need an example. */
const TYPED = ['folder', 'text'] as const;
/** What has nothing to do with what is found. */
const OTHERS = ['name', 'account', 'folderPath', 'output'];

/** Makes the rows of the test work, once the other fields are what they will be. */
export function searchTest(node: EditorNode): void {
  const test = new SearchTest(node);
  $('#cloud-drive-test-start').on('click', () => void test.run());
  $('#dialog-form').on('change', () => test.showExamples());
  // jQuery UI's, when the dialog goes.
  $('#cloud-drive-test').on('remove', () => test.end());
  for (const property of TYPED) {
    example(property).on('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      void test.run();
    });
  }
  test.showExamples();
}

class SearchTest {
  private requests: DriveRequests | undefined;
  private readonly result = $('#cloud-drive-test-result');

  constructor(private readonly node: EditorNode) {}

  /** Asks for what can't be known here, and for nothing else. */
  showExamples(): void {
    for (const property of TYPED) example(property).closest('.form-row').toggle(!isInDialog(property));
    $('p.cloud-drive-example').toggle(!TYPED.every(isInDialog));
  }

  async run(): Promise<void> {
    this.end();
    const account = String($('#node-input-account').val() ?? '');
    if (account === '' || account === '_ADD_') return this.fail(this.node._('test.no_account'));
    const requests = new DriveRequests(account);
    this.requests = requests;
    this.say(this.node._('test.looking'));
    const examples = Object.fromEntries(TYPED.map((property) => [property, String(example(property).val())]));
    try {
      const found = await requests.find({ settings: settingsOf(this.node), examples });
      if (!requests.isClosed) this.show(found);
    } catch (error) {
      if (!requests.isClosed) this.fail(reasonOf(error));
    }
  }

  /** Nobody looks at the result any more. */
  end(): void {
    this.requests?.close();
  }

  private show({ files, more, incomplete }: SearchTestResult): void {
    this.say(this.summary(files.length, more));
    if (incomplete) this.result.append($('<p>').text(this.node._('test.incomplete')));
    if (files.length === 0) return;
    const rows = files.map((file) =>
      $('<li>').append($('<i aria-hidden="true">').addClass(`${fileIcon(file)} fa-fw`), fileRow(file)),
    );
    this.result.append($('<ol class="cloud-drive-found">').append(rows));
    // The dialog is long, and the button near its end.
    this.result[0]?.scrollIntoView({ block: 'nearest' });
  }

  private summary(count: number, more: boolean): string {
    const { node } = this;
    if (more) return node._('test.more', { count });
    if (count > 1) return node._('test.all', { count });
    if (count === 1) return node._('test.one');
    const asGoogle = $('#node-input-match').val() === 'contains' && this.requests?.isGoogle;
    return node._(asGoogle ? 'test.none_contains' : 'test.none');
  }

  private say(text: string): void {
    this.result.empty().append($('<p>').text(text));
  }

  private fail(reason: string): void {
    this.result.empty().append($('<p class="cloud-drive-bad">').text(reason));
  }
}

function example(property: (typeof TYPED)[number]): JQuery {
  return $(`#cloud-drive-example-${property}`);
}

function isInDialog(property: (typeof TYPED)[number]): boolean {
  const type = String($(`#node-input-${property}Type`).val());
  return isLiteral(type, String($(`#node-input-${property}`).val()));
}

/** What the form says now, deployed or not. */
function settingsOf(node: EditorNode): Record<string, string | boolean> {
  const properties = Object.keys(node._def.defaults).filter((property) => !OTHERS.includes(property));
  return Object.fromEntries(
    properties.map((property) => {
      const input = $(`#node-input-${property}`);
      return [property, input.is(':checkbox') ? input.prop('checked') === true : String(input.val() ?? '')];
    }),
  );
}
