/**
 * Names of the folders in which restores prepare everything: `.<target>.restore-<owner>`, see work-folder.ts. After
 * a run that was killed, one may contain the only copy of what was in the target.
 */
import { OWNER } from './part-owner';

export const WORK_FOLDER_NAME = new RegExp(`^\\.(.+)\\.restore-${OWNER.source}$`, 's');

export function isWorkFolderName(name: string): boolean {
  return WORK_FOLDER_NAME.test(name);
}
