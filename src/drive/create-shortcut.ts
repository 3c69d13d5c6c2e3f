/**
 * Creates shortcuts: files without content that lead to another file or folder.
 * https://developers.google.com/workspace/drive/api/guides/shortcuts
 */
import type { CallOptions, DriveFile } from '../types';
import { filesUrl, requireCapability, rootId } from './drive-context';
import { withFields } from './fields';
import { createWithoutContent } from './idempotent-create';
import { SHORTCUT_TYPE, targetOf } from './shortcuts';
import {
  type CopyRequest,
  type Placement,
  type MoveContext,
  type MoveResult,
  moveOrCopy,
} from './move-or-copy';

/**
 * @param request `folderId` is `''` for the root. A shortcut to a shortcut becomes one to its target
 * @throws as {@link moveOrCopy}; `invalid_input` at a custom service
 */
export function createShortcut(
  context: MoveContext,
  request: CopyRequest,
  call: CallOptions,
): Promise<MoveResult> {
  const { drive } = context;
  requireCapability(drive.service, 'shortcuts', 'shortcut');
  const perform = (destination: Placement, budgeted: CallOptions): Promise<DriveFile> => {
    const { source, folderId, name } = destination;
    const parents = folderId === undefined ? undefined : [folderId];
    const shortcutDetails = { targetId: targetIdOf(source) };
    const resource = { name, mimeType: SHORTCUT_TYPE, parents, shortcutDetails };
    const fields = withFields(request.fields, ['id']);
    // The service accepts no generated ids for shortcuts.
    return createWithoutContent(
      drive,
      { url: filesUrl(drive.service), id: undefined, resource, fields },
      budgeted,
    );
  };
  const folderId = request.folderId || rootId(drive.service);
  const operation = {
    context,
    request: { ...request, folderId },
    isCopy: true,
    conflicts: 'files',
    perform,
  } as const;
  return moveOrCopy({ ...operation, isSame: leadsToSameFile }, call);
}

function targetIdOf(source: DriveFile): string {
  return targetOf(source)?.id ?? source.id;
}

function leadsToSameFile(existing: DriveFile, source: DriveFile): boolean {
  return targetOf(existing)?.id === targetIdOf(source);
}
