/** Checks a backup for the dialog, and counts what differs. */
import type { CheckResult } from '../../src/index';
import type { Report } from '../shared/admin/background-work';
import type { CheckedBackup } from '../shared/contract/dialog-api';
import { readCheck } from './check';
import type { DialogContext } from './dialog-request';

/** Of each kind of difference. */
const LISTED = 50;

/** @throws the errors of a check */
export async function checkArchiveNow(context: DialogContext, report: Report): Promise<CheckedBackup> {
  const { client, call } = context;
  const request = { ...(await readCheck(context)), onProgress: report };
  const { file, ...checked } = await client.checkArchive(request, call);
  return toChecked(file.name ?? file.id, checked);
}

/** @param name of the backup */
export function toChecked(
  name: string,
  { age, complete, differences, entries, bytes, milliseconds }: Omit<CheckResult, 'file'>,
): CheckedBackup {
  return {
    ...{ name, age, complete: complete ?? true },
    ...{ entries, bytes, milliseconds },
    ...(differences && {
      differences: {
        missing: countPaths(differences.missing),
        extra: countPaths(differences.extra),
        different: countPaths(differences.different),
      },
    }),
  };
}

function countPaths(paths: readonly string[]): { count: number; first: string[] } {
  return { count: paths.length, first: paths.slice(0, LISTED) };
}
