/**
 * Names of the folders in which restores prepare everything: `.<target>.restore-<owner>`, see archive/work-folder.ts. After
 * a run that was killed, one may contain the only copy of what was in the target.
 */
export const WORK_FOLDER_NAME =
  /^\.(.+)\.restore-([0-9a-f]{8})-(\d{1,10})-([0-9a-z]{1,10})-([0-9a-f]{8})-\d{1,6}$/s;

export function isWorkFolderName(name: string): boolean {
  return WORK_FOLDER_NAME.test(name);
}
