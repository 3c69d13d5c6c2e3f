/** Checks the selected backup with the settings of the dialog, and shows the result there. */
import type { CheckedBackup } from '../shared/contract/dialog-api';
import { initDialogTest, nameList, nameRow, selectedAccount } from '../shared/editor/dialog-test';
import { formatSize } from '../shared/editor/format';
import { field } from '../shared/editor/fields';
import { percentOf, runWork, workBody } from './work-client.editor';

/** Call it after all other preparation of the fields. */
export function initCheckNow(node: EditorNode): void {
  initDialogTest(node, {
    inputs: ['folder', 'select'],
    isUsed: (property) => field('which') !== (property === 'folder' ? 'file' : 'newest'),
    required: ['select'],
    unrelated: ['localPath', 'overwrite', 'stripTop', 'maxRatio', 'output', 'progress', 'outputs'],
    examples: 'required',
    running: () => node._('check.running'),
    isCancellable: true,
    run: async (values, signal, report) => {
      const checked = await runWork<CheckedBackup>([selectedAccount(), 'check'], workBody(node, values), {
        signal,
        onProgress: (progress) => {
          const percent = percentOf(progress);
          if (percent !== undefined) report(node._('check.running_percent', { percent }));
        },
      });
      return describeResult(node, checked);
    },
  });
}

function describeResult(node: EditorNode, checked: CheckedBackup): JQuery[] {
  const { name, age, complete, differences } = checked;
  const elements = [
    $('<p class="cloud-drive-good">').text(summary(node, checked)),
    $('<p>').text(
      age === null
        ? name
        : node._('check.age', { name, age: age.toLocaleString(undefined, { maximumFractionDigits: 1 }) }),
    ),
  ];
  if (!complete) elements.push($('<p class="cloud-drive-bad">').text(node._('check.incomplete')));
  if (!differences) return elements;
  const kinds = Object.entries(differences).filter(([, { count }]) => count > 0);
  if (kinds.length === 0) elements.push($('<p>').text(node._('check.same')));
  for (const [kind, { count, first }] of kinds) {
    const title = node._(`check.${kind}`, { count: count.toLocaleString() });
    elements.push($('<p>').text(title), nameList(first.map(nameRow)));
  }
  return elements;
}

function summary(node: EditorNode, { entries, bytes = 0, milliseconds = 0 }: CheckedBackup): string {
  if (entries === undefined) return node._('check.recent');
  const seconds = (milliseconds / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 });
  return node._('check.good', { entries: entries.toLocaleString(), size: formatSize(bytes), seconds });
}
