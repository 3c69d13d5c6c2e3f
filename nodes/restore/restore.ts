/**
 * restore: restores a folder on disk from an archive that the backup node, or any other program, made.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import type { NodeAPI } from 'node-red';
import { type ArchiveChoice, DriveError, checkRestore, parseUntil } from '../../src/index';
import { parseIdentities } from '../shared/contract/age-keys';
import { FILE_FIELDS } from '../shared/contract/file-fields';
import { localFilesRoute } from '../shared/admin/local-files';
import { registerRoutes } from '../shared/admin/routes';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import { shortList } from '../shared/runtime/short-list';
import { summarizePublicValue } from '../shared/runtime/value-summary';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';

const TYPE = 'cloud-drive-restore';

export default (RED: NodeAPI): void => {
  registerRoutes(RED, TYPE, [localFilesRoute(RED)]);
  flowNode<RestoreConfig>(RED, {
    type: TYPE,
    defaults: DEFAULTS,
    credentials: { passphrase: { type: 'password' }, identity: { type: 'password' } },
    async run(context) {
      const { client, inputs, msg, call } = context;
      const overwrite = inputs.oneOf('overwrite', ['error', 'replace']);
      const path = inputs.localPath('localPath', await inputs.value('localPath'));
      const maxRatio = inputs.isEmpty('maxRatio') ? undefined : inputs.nonNegative('maxRatio');
      const content = {
        pattern: inputs.settingText('pattern') || DEFAULTS.pattern,
        include: inputs.lines('include'),
        // Only an encrypted archive needs it: see src/archive/open-archive.ts.
        passphrase: inputs.passphrase('passphrase'),
        identities: readIdentities(context),
      };
      checkRestore(content);
      const choice = await readChoice(context);
      const { folderId, folderName } = await readFolder(context, choice);
      const { onProgress, finish } = context.trackProgress({});
      const { path: restoredPath, ...restored } = await client.restore(
        {
          ...content,
          choice,
          folderId,
          folderName,
          fields: FILE_FIELDS,
          path,
          overwrite,
          maxRatio,
          onProgress,
          onEntry: context.showEntries,
          onMovedAside: (paths) =>
            context.warn('restore_moved_aside', { count: paths.length, files: shortList(paths) }),
          onReserved: ({ count, paths }) =>
            context.warn('restore_reserved_names', { count, files: shortList(paths) }),
        },
        call,
      );
      finish(restored.file);
      msg.payload = restoredPath;
      msg['restored'] = restored;
      context.send(msg);
      const isComplete = restored.complete ?? true;
      const text = context.results.archive(restored.entries, restored.bytes, isComplete);
      return { text, isPartial: !isComplete };
    },
  });
};

/** @throws `invalid_input` for a text without a private key */
function readIdentities({ inputs }: RunContext<RestoreConfig>): string[] {
  const text = inputs.secret('identity');
  if (text === undefined) return [];
  const identities = parseIdentities(text);
  if (identities.length === 0) throw new DriveError('invalid_input', { text: 'invalid_input_identity' });
  return identities;
}

/** @throws `invalid_input` if the value of `select` isn't what `which` asks for */
async function readChoice({ inputs }: RunContext<RestoreConfig>): Promise<ArchiveChoice> {
  const which = inputs.oneOf('which', ['newest', 'number', 'date', 'file']);
  if (which === 'newest') return { which };
  if (which === 'file') return { which, fileId: await inputs.file('select') };
  const value = await inputs.value('select');
  const came = summarizePublicValue(value);
  if (which === 'number') {
    const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return { which, number };
    throw inputs.invalid('invalid_input_archive_number', 'select', value, { came });
  }
  const until = parseUntil(value);
  if (until === undefined) throw inputs.invalid('invalid_input_archive_date', 'select', value, { came });
  return { which, until };
}

async function readFolder(
  { client, inputs }: RunContext<RestoreConfig>,
  { which }: ArchiveChoice,
): Promise<{ folderId: string; folderName: string }> {
  if (which === 'file') return { folderId: '', folderName: '' };
  const folderName = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
  const folderId = await inputs.resolveId(folderName, 'folder');
  return { folderId: folderId || client.rootId, folderName: folderName || '/' };
}
