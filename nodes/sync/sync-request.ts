/** The request of a sync folder node, for its messages and for the plan in its dialog. */
import path from 'node:path';
import { type SyncRequest, checkSync } from '../../src/index';
import { isPath } from '../shared/runtime/id-or-path';
import type { Inputs } from '../shared/runtime/inputs';
import { DEFAULTS } from './sync.defaults';

type SyncInput = { inputs: Inputs };

/** Without the progress, which only messages report. */
type Request = Omit<SyncRequest, 'folderId' | 'onProgress'>;

export interface CheckedSync {
  request: Request;
  /** Id or path of the folder on the drive. */
  folder: string;
  /** Whether an upload creates the missing folders of that path. */
  createFolders: boolean;
}

/** @throws `invalid_input`, `conflict`, `local_file` before anything is requested */
export async function readSync({ inputs }: SyncInput): Promise<CheckedSync> {
  const { maxRemovals: defaultRemovals } = DEFAULTS;
  const request: Request = {
    direction: inputs.oneOf('direction', ['up', 'down']),
    localPath: path.resolve(inputs.localPath('localPath', await inputs.value('localPath'))),
    include: inputs.lines('include'),
    exclude: inputs.lines('exclude'),
    compare: inputs.oneOf('compare', ['time', 'checksum']),
    extra: inputs.oneOf('extra', ['keep', 'trash', 'delete']),
    maxRemovals: inputs.isEmpty('maxRemovals') ? Number(defaultRemovals) : inputs.wholeNumber('maxRemovals'),
    symlinks: inputs.oneOf('symlinks', ['skip', 'follow', 'error']),
    exportFormat: inputs.settingText('exportFormat'),
    dryRun: inputs.isDryRun(),
  };
  const folder = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
  const createFolders = inputs.flag('createFolders');
  await checkSync(request);
  return { request, folder, createFolders };
}

/** A path is resolved by the client: an upload first waits for others to the same folder. */
export function syncFolder(
  { inputs }: SyncInput,
  { request, folder, createFolders }: CheckedSync,
): Pick<SyncRequest, 'folderId' | 'folderPath'> {
  if (!isPath(folder)) return { folderId: folder };
  const createMissing = request.direction === 'up' ? createFolders : undefined;
  return { folderId: undefined, folderPath: inputs.folderPath(folder, createMissing) };
}
