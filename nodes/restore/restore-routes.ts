/** Admin routes of the restore node's dialog: the backups of a folder, the entries of one, and a check of one. */
import type { NodeAPI } from 'node-red';
import type { Request } from 'express';
import { isOneOf, unrefClock } from '../../src/index';
import { DialogCall, accountEndpoint, useAccount } from '../shared/admin/account-client';
import { BackgroundWork, type Report } from '../shared/admin/background-work';
import { REQUEST, requestText } from '../shared/admin/admin-guard';
import { localFilesRoute } from '../shared/admin/local-files';
import { type Route, pathParameter, registerRoutes } from '../shared/admin/routes';
import type {
  BackupEntries,
  BackupList,
  BrowsedBackups,
  CheckedBackup,
  StartedWork,
} from '../shared/contract/dialog-api';
import { errorSummary } from '../shared/runtime/error-message';
import { archiveEntries, listArchives } from './browse';
import { checkSnapshotNow, listSnapshots, snapshotEntries } from './browse-snapshots';
import { checkArchiveNow } from './check';
import { type DialogContext, dialogContext } from './dialog-request';
import type { RestoreConfig } from './restore.defaults';

interface Browsable {
  list(context: DialogContext): Promise<BackupList>;
  /** @param id of the backup. @returns the settings that select it */
  select(id: string): Partial<RestoreConfig>;
  entries(context: DialogContext, report: Report): Promise<BackupEntries>;
  check(context: DialogContext, report: Report): Promise<CheckedBackup>;
}

/** By `from`. */
const BROWSABLE: Readonly<Record<RestoreConfig['from'], Browsable>> = {
  archives: {
    list: listArchives,
    select: (id) => ({ which: 'file', select: id, selectType: 'drive' }),
    entries: archiveEntries,
    check: checkArchiveNow,
  },
  snapshots: {
    list: listSnapshots,
    select: (id) => ({ which: 'id', select: id, selectType: 'str' }),
    entries: snapshotEntries,
    check: checkSnapshotNow,
  },
};

/** ms; a user is waiting, and sees how far it is. */
const RETRY_FOR = 30_000;

export function registerRestoreRoutes(RED: NodeAPI, type: string): void {
  const works = new BackgroundWork(unrefClock);
  // They use the stored secrets, and may read folders on this machine.
  const route = (method: Route['method'], path: string, endpoint: Route['endpoint']): Route => ({
    ...{ method, path, permission: 'flows.write', endpoint },
  });
  const started = (
    path: string,
    run: (context: StartedContext, report: Report) => Promise<BackupEntries | CheckedBackup>,
  ): Route => ({
    ...route('post', path, (request) => startWork({ RED, type, works }, request, run)),
    status: 202,
  });
  const listed = accountEndpoint(RED, async (client, { body }, call): Promise<BrowsedBackups> => {
    const context = dialogContext(RED, body, { client, call, typedInputs: ['folder'] });
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return { ...(await browsable(body).list(context)), timeZone };
  });
  registerRoutes(RED, type, [
    localFilesRoute(RED),
    route('get', '/work/:work', (request) => works.state(pathParameter(request, 'work'))),
    route('delete', '/work/:work', (request) => works.cancel(pathParameter(request, 'work'))),
    route('post', '/:id/backups', listed),
    started('/:id/entries', ({ body, context, source }, report) => {
      const settings = source.select(requestText(REQUEST.object(body), 'backup'));
      const needsFolder = settings.which !== 'file';
      return source.entries(context(needsFolder ? ['folder'] : [], settings), report);
    }),
    started('/:id/check', ({ which, context, source, isCheck }, report) => {
      const typedInputs = [
        ...(which === 'file' ? [] : (['folder'] as const)),
        ...(which === 'newest' ? [] : (['select'] as const)),
      ];
      // The other actions hide the settings of a check.
      const settings = isCheck ? {} : { maxAge: 0, depth: 'content' as const, compareWith: '' };
      return source.check(context(typedInputs, settings), report);
    }),
  ]);
}

interface StartedContext {
  body: unknown;
  source: Browsable;
  which: unknown;
  isCheck: boolean;
  context: (typedInputs: readonly ('folder' | 'select')[], settings: Partial<RestoreConfig>) => DialogContext;
}

/** Malformed requests are refused before the work starts. */
function startWork(
  { RED, type, works }: { RED: NodeAPI; type: string; works: BackgroundWork },
  request: Request,
  run: (context: StartedContext, report: Report) => Promise<BackupEntries | CheckedBackup>,
): StartedWork {
  const body = request.body as unknown;
  const source = browsable(body);
  const config = REQUEST.object(REQUEST.object(body)['settings'], 'settings');
  const { which = 'newest', action } = config;
  return works.start(
    (signal, report) =>
      useAccount(RED, pathParameter(request, 'id'), (client) => {
        const dialogCall = new DialogCall(RETRY_FOR);
        signal.addEventListener('abort', () => dialogCall.stop());
        return dialogCall.run(client, (call) => {
          const context: StartedContext['context'] = (typedInputs, settings) =>
            dialogContext(RED, body, { client, call, typedInputs, settings });
          return run({ body, source, which, isCheck: action === 'check', context }, report);
        });
      }),
    (error) => errorSummary(RED, error, { type, config }),
  );
}

/** @throws `invalid_input` */
function browsable(body: unknown): Browsable {
  const settings = REQUEST.object(REQUEST.object(body)['settings'], 'settings');
  return BROWSABLE[REQUEST.optional(settings, 'from', isOneOf('archives', 'snapshots')) ?? 'archives'];
}
