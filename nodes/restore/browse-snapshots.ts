/** What the dialog shows of a repository: its snapshots, the entries of one, and the result of a check. */
import type { SnapshotInfo } from '../../src/index';
import type { Report } from '../shared/admin/background-work';
import { INCOMPLETE_TAG } from '../shared/contract/backup-settings';
import type { BackupEntries, BackupList, CheckedBackup, ListedBackup } from '../shared/contract/dialog-api';
import { collectEntries, MAX_BACKUPS } from './browse';
import { checkSettings, toChecked } from './check';
import { type DialogContext, isTyped } from './dialog-request';
import { readChoice, readQuery, readRepository } from './snapshots';

/** The editor shows neither status nor warnings of this list. */
const withoutStatus = (context: DialogContext) => ({
  ...context,
  showLocked: () => undefined,
  warn: () => undefined,
});

/** @throws `not_found` for a folder without a repository, `invalid_input` for a wrong passphrase, … */
export async function listSnapshots(context: DialogContext): Promise<BackupList> {
  const { RED, client, inputs, config, call } = context;
  const reading = withoutStatus(context);
  const isChoiceKnown = config.which === 'newest' || isTyped(config, 'select');
  const choice = isChoiceKnown ? await readChoice(reading, RED) : undefined;
  const sources = inputs.oneOf('sources', ['own', 'any']);
  const access = await readRepository(reading, RED);
  const { snapshots, selectedId } = await client.findSnapshots({ ...access, choice }, call);
  const listed = snapshots.filter(({ hostname }) => sources === 'any' || hostname === access.host);
  const backups = listed.slice(0, MAX_BACKUPS).map((snapshot): ListedBackup => {
    const { id, time, tags } = snapshot;
    const complete = !tags.includes(INCOMPLETE_TAG);
    return { id, name: nameOf(snapshot, sources), time, complete, selected: id === selectedId };
  });
  return { backups, more: listed.length > MAX_BACKUPS };
}

/** `4bd2a6f1 · documents`, or with the host after it. The row is too narrow for whole paths. */
function nameOf({ shortId, paths, hostname }: SnapshotInfo, sources: 'own' | 'any'): string {
  const host = sources === 'any' ? [hostname] : [];
  const names = paths.map((path) => path.split(/[/\\]/).filter(Boolean).pop() ?? path);
  return [shortId, names.join(', '), ...host].join(' · ');
}

/** @param context its settings select the snapshot by its ID. @throws the errors of a list */
export async function snapshotEntries(context: DialogContext, report: Report): Promise<BackupEntries> {
  const { RED, client, call } = context;
  const query = await readQuery(withoutStatus(context), RED);
  return collectEntries(call, (onEntries, _clear, signal) =>
    client.listSnapshot({ ...query, include: [], onProgress: report, onEntries }, { ...call, signal }),
  );
}

/** @throws the errors of a check */
export async function checkSnapshotNow(context: DialogContext, report: Report): Promise<CheckedBackup> {
  const { RED, client, inputs, call } = context;
  const settings = checkSettings(context);
  const readData = inputs.inRange('readData', [0, 100], 100);
  const query = await readQuery(withoutStatus(context), RED);
  const { snapshot, ...checked } = await client.checkSnapshot(
    { ...query, ...settings, readData, onProgress: report },
    call,
  );
  return toChecked(snapshot.shortId, checked);
}
