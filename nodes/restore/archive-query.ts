/** Which archive the restore node reads, and how: what all of its actions have in common. */
import { type ArchiveChoice, DriveError, checkRestore, parseUntil } from '../../src/index';
import { parseIdentities } from '../shared/contract/backup-settings';
import { FILE_FIELDS } from '../shared/contract/defaults';
import type { RunContext } from '../shared/runtime/run-context';
import { summarizePublicValue } from '../shared/runtime/value-summary';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';

export type QueryContext = Pick<RunContext<RestoreConfig>, 'client' | 'inputs'>;

export interface ReadQuery {
  choice: ArchiveChoice;
  folderId: string;
  folderName: string;
  pattern: string;
  include: string[];
  passphrase: string | undefined;
  identities: string[];
  allowIncomplete: boolean;
  fields: string;
}

/** The archive is read completely, because its index can't be used. */
export function warnOfIndex({ warn }: Pick<RunContext<RestoreConfig>, 'warn'>, reason: string): void {
  warn('restore_index_ignored', { reason });
}

/** @throws `invalid_input` before a path is resolved */
export async function readQuery(context: QueryContext): Promise<ReadQuery> {
  const { inputs } = context;
  const content = {
    pattern: inputs.settingText('pattern') || DEFAULTS.pattern,
    include: inputs.lines('include'),
    // Only an encrypted archive needs it: see src/backup/archive/open-archive.ts.
    passphrase: inputs.passphrase('passphrase'),
    identities: readIdentities(context),
    allowIncomplete: inputs.flag('allowIncomplete'),
    fields: FILE_FIELDS,
  };
  checkRestore(content);
  const choice = await readChoice(context);
  const folder = choice.which === 'file' ? { folderId: '', folderName: '' } : await readBackupFolder(context);
  return { ...content, choice, ...folder };
}

/** @throws `invalid_input` for a text without a private key */
function readIdentities({ inputs }: QueryContext): string[] {
  const text = inputs.secret('identity');
  if (text === undefined) return [];
  const identities = parseIdentities(text);
  if (identities.length === 0) throw new DriveError('invalid_input', { text: 'invalid_input_identity' });
  return identities;
}

/** @throws `invalid_input` if the value of `select` isn't what `which` asks for */
export async function readChoice({ inputs }: QueryContext): Promise<ArchiveChoice> {
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

/** The folder with the backups. */
export async function readBackupFolder({
  client,
  inputs,
}: QueryContext): Promise<{ folderId: string; folderName: string }> {
  const folderName = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
  const folderId = await inputs.resolveId(folderName, 'folder');
  return { folderId: folderId || client.rootId, folderName: folderName || '/' };
}
