/** Lists in the dialog what a backup with the current settings would include, without uploading anything. */
import type { BackupTestResponse } from '../shared/contract/backup-api';
import { isLiteral } from '../shared/contract/literal-value';
import { adminRequest, errorText } from '../shared/editor/admin-request';
import { formatSize } from '../shared/editor/format-size';

/** Call it after all other preparation of the fields. */
export function initBackupTest(node: EditorNode): void {
  const toggleExample = (): void => {
    $('.cloud-drive-example').toggle(!hasLiteralSource());
  };
  $('#dialog-form').on('change', toggleExample);
  toggleExample();
  let controller = new AbortController();
  const start = (): void => {
    controller.abort();
    controller = new AbortController();
    void runTest(node, controller.signal);
  };
  $('#cloud-drive-test-start').on('click', start);
  $('#cloud-drive-example-source').on('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    start();
  });
  // jQuery UI triggers `remove` when the dialog is closed.
  $('#cloud-drive-test').on('remove', () => controller.abort());
}

/** Whether the dialog contains the path; otherwise the test needs an example. */
function hasLiteralSource(): boolean {
  const source = value('#node-input-source');
  return isLiteral(value('#node-input-sourceType'), source) && source.trim() !== '';
}

async function runTest(node: EditorNode, signal: AbortSignal): Promise<void> {
  const result = $('#cloud-drive-test-result');
  const show = (...elements: JQuery[]): void => void result.empty().append(elements);
  show($('<p>').text(node._('test.running')));
  const body = {
    source: value(hasLiteralSource() ? '#node-input-source' : '#cloud-drive-example-source'),
    exclude: value('#node-input-exclude'),
  };
  try {
    const response = await adminRequest<BackupTestResponse>('POST', ['test'], {
      node: 'cloud-drive-backup',
      body,
      signal,
    });
    if (!signal.aborted) show(...describeResult(node, response));
  } catch (error) {
    if (!signal.aborted) show($('<p class="cloud-drive-bad">').text(errorText(error)));
  }
  // The button is near the end of a long dialog, so the result may be out of view.
  result[0]?.scrollIntoView({ block: 'nearest' });
}

function describeResult(node: EditorNode, response: BackupTestResponse): JQuery[] {
  const { first, skipped, firstSkipped } = response;
  const elements = [$('<p>').text(summary(node, response)), pathList(first)];
  if (skipped > 0)
    elements.push(
      $('<p>').text(node._('test.skipped', { count: skipped.toLocaleString() })),
      pathList(firstSkipped),
    );
  return elements;
}

function summary(node: EditorNode, { entries, bytes, first, isStopped }: BackupTestResponse): string {
  const counts = {
    entries: entries.toLocaleString(),
    size: formatSize(bytes),
    shown: first.length.toLocaleString(),
  };
  if (isStopped) return node._('test.stopped', counts);
  if (entries === 0) return node._('test.none');
  return entries > first.length ? node._('test.more', counts) : node._('test.all', counts);
}

/** Names come from the disk, so they are inserted as text, never as HTML. */
function pathList(paths: readonly string[]): JQuery {
  const rows = paths.map((path) => $('<li>').append($('<span class="cloud-drive-file-name">').text(path)));
  return paths.length === 0 ? $() : $('<ol class="cloud-drive-found">').append(rows);
}

function value(selector: string): string {
  return String($(selector).val() ?? '');
}
