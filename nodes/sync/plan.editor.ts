/** Shows in the dialog what a run with the current settings would do. */
import type { PlannedChange, SyncPlanResponse } from '../shared/contract/dialog-api';
import { adminRequest } from '../shared/editor/admin-request';
import { initDialogTest, nameList, nameRow, selectedAccount } from '../shared/editor/dialog-test';
import { formatSize } from '../shared/editor/format';

const ICONS: Readonly<Record<PlannedChange['action'], string>> = {
  created: 'plus',
  updated: 'pencil',
  removed: 'trash-o',
  skipped: 'ban',
  failed: 'exclamation-triangle',
};
const COUNTS = ['created', 'updated', 'removed', 'unchanged', 'skipped', 'failed'] as const;

/** Call it after all other preparation of the fields. */
export function initPlan(node: EditorNode): void {
  initDialogTest(node, {
    inputs: ['localPath', 'folder'],
    unrelated: ['dryRun', 'jitter', 'progress', 'outputs'],
    examples: 'required',
    running: () => node._('plan.running'),
    run: async (values, signal) => {
      const options = { node: 'cloud-drive-sync', body: values, signal };
      return describePlan(
        node,
        await adminRequest<SyncPlanResponse>('POST', [selectedAccount(), 'plan'], options),
      );
    },
  });
}

function describePlan(node: EditorNode, plan: SyncPlanResponse): JQuery[] {
  const counts = COUNTS.map((name) =>
    $('<li>').append($('<b>').text(plan[name].toLocaleString()), $('<span>').text(node._(`plan.${name}`))),
  );
  const elements = [
    $('<ul class="cloud-drive-counts">').append(counts),
    $('<p>').text(node._('plan.bytes', { size: formatSize(plan.bytes) })),
  ];
  if (plan.isDuringRun) elements.push($('<p>').text(node._('plan.during_run')));
  const shown = plan.first.length;
  if (plan.changes > shown) elements.push($('<p>').text(node._('plan.first', { count: shown })));
  return [...elements, nameList(plan.first.map((change) => changeRow(node, change)))];
}

function changeRow(node: EditorNode, { path, action, reason, problem }: PlannedChange): JQuery {
  const icon = $('<i>').addClass(`fa fa-${ICONS[action]} fa-fw`);
  const text = node._(`plan.${action}`);
  const note = problem ?? (reason && node._(`plan.reason.${reason}`));
  const name = nameRow(path).attr('title', note === undefined ? path : `${path}: ${note}`);
  return icon
    .attr({ title: text, role: 'img', 'aria-label': text })
    .add(name)
    .add(note === undefined ? $() : $('<span class="cloud-drive-reason">').text(note));
}
