/**
 * The panel of an account without a pending sign-in: the user, the scope and the storage, or why a sign-in is needed.
 */
import { adminRequest } from '../../shared/editor/admin-request';
import { formatSize, formatTime } from '../../shared/editor/format';
import { sharedText } from '../../shared/editor/shared-text';
import type {
  AccountStatus,
  ConnectionStatus,
  DriveUser,
  ServiceAccountIdentity,
} from '../../shared/contract/account-api';
import { block, copyButton, errorView, paragraph, progressBar } from './panel-elements.editor';
import { scopeName } from './scope-choice.editor';

export function accountDetails({ account, scope, missingScopes = [], since }: AccountStatus): JQuery[] {
  const who = userName(account);
  const title = who ? sharedText('panel.signed_in_as', { who }) : sharedText('panel.signed_in');
  const icon = '<i class="fa fa-check-circle cloud-drive-good" aria-hidden="true"></i> ';
  const details = [paragraph(title, 'title').prepend(icon)];
  const time = formatTime(since ?? '', 'long');
  if (time !== '') details.push(paragraph(sharedText('panel.since', { time }), 'quiet'));
  if (scope) {
    const names = scope.split(' ').map(scopeName).join(', ');
    details.push(paragraph(sharedText('panel.scope', { scope: names }), 'quiet').attr('title', scope));
  }
  if (missingScopes.length > 0) {
    const scopes = missingScopes.join(', ');
    details.push(paragraph(sharedText('panel.missing_scopes', { scopes }), 'bad'));
  }
  return details;
}

/** The service account, and its address to share folders with; or why its key can't be used. */
export function serviceAccountDetails({ serviceAccount, needsSignIn, isUntested }: AccountStatus): JQuery[] {
  if (needsSignIn) return [paragraph(sharedText('panel.key_refused'), 'title'), ...errorView(needsSignIn)];
  return serviceAccount ? identityDetails(serviceAccount, isUntested) : [];
}

function identityDetails({ address, subject, scope }: ServiceAccountIdentity, isUntested = false): JQuery[] {
  const names = scope.split(' ').map(scopeName).join(', ');
  const icon = '<i class="fa fa-check-circle cloud-drive-good" aria-hidden="true"></i> ';
  return [
    paragraph(sharedText('panel.service_account', { account: address }), 'title').prepend(
      isUntested ? '' : icon,
    ),
    subject === ''
      ? block('fix', copyButton(address, sharedText('panel.copy_address')))
      : paragraph(sharedText('panel.impersonates', { user: subject })),
    paragraph(sharedText('panel.scope', { scope: names }), 'quiet'),
  ];
}

export function signInReason({ needsSignIn, isNew }: AccountStatus): JQuery[] {
  // The message for a new account says to open the panel, which is open already.
  if (!needsSignIn || isNew) return [paragraph(sharedText('panel.not_signed_in'), 'title')];
  return [paragraph(sharedText('panel.needs_sign_in'), 'title'), ...errorView(needsSignIn, undefined)];
}

export function userName(user: DriveUser | undefined): string {
  const { displayName = '', emailAddress = '' } = user ?? {};
  return displayName && emailAddress ? `${displayName} <${emailAddress}>` : displayName || emailAddress;
}

export interface ConnectionView {
  element: JQuery;
  /** @param isRequested whether the user requested the test, and so sees its progress and success as well */
  test(isRequested: boolean): Promise<void>;
}

/**
 * Shows the storage quota, or why the service can't be reached.
 * @param form the properties of a service account that isn't deployed
 */
export function connectionView(accountId: string, form?: object): ConnectionView {
  const element = block('connection').attr('role', 'status');
  let latest = 0;
  const test = async (isRequested: boolean): Promise<void> => {
    const current = ++latest;
    if (isRequested) element.empty().append(paragraph(sharedText('panel.testing'), 'quiet'));
    const start = performance.now();
    const show = (...contents: JQuery[]): void => {
      // Ignore the result of an older test.
      if (current === latest) element.empty().append(...contents);
    };
    try {
      const path = [accountId, 'connection'];
      const connection = await (form
        ? adminRequest<ConnectionStatus>('POST', path, { body: form })
        : adminRequest<ConnectionStatus>('GET', path));
      const duration = Math.max(0.1, (performance.now() - start) / 1_000);
      const seconds = duration.toLocaleString(undefined, { maximumFractionDigits: 1 });
      const success = paragraph(sharedText('panel.works', { seconds }), 'good');
      const { serviceAccount: tested } = connection;
      show(
        ...(tested ? identityDetails(tested) : []),
        ...storageUsage(connection),
        ...sharedAccess(connection),
        ...(connection.warning === undefined ? [] : [paragraph(connection.warning, 'bad')]),
        ...(isRequested ? [success] : []),
      );
    } catch (error) {
      show(...errorView(error));
    }
  };
  return { element, test };
}

/** The names of what was shared with a service account. */
function sharedAccess({ access }: ConnectionStatus): JQuery[] {
  if (!access) return [];
  const { sharedDrives, sharedFiles } = access;
  if (sharedDrives.length + sharedFiles.length === 0)
    return [paragraph(sharedText('panel.nothing_shared'), 'bad')];
  const line = (key: 'panel.shared_drives' | 'panel.shared_files', names: string[]): JQuery[] =>
    names.length === 0 ? [] : [paragraph(sharedText(key, { names: names.join(', ') }), 'quiet')];
  return [...line('panel.shared_drives', sharedDrives), ...line('panel.shared_files', sharedFiles)];
}

function storageUsage({ storage }: ConnectionStatus): JQuery[] {
  if (!storage) return [];
  const { usage, limit = 0, inTrash = 0 } = storage;
  const used = formatSize(usage, 1_024);
  const trash = inTrash > 0 ? [sharedText('panel.in_trash', { size: formatSize(inTrash, 1_024) })] : [];
  if (limit === 0) {
    const text = [sharedText('panel.storage_unlimited', { used }), ...trash].join(' · ');
    return [paragraph(text, 'quiet')];
  }
  const total = formatSize(limit, 1_024);
  const text = [sharedText('panel.storage', { used, limit: total }), ...trash].join(' · ');
  const fraction = usage / limit;
  return [
    progressBar(fraction, text).toggleClass('cloud-drive-full', fraction > 0.9),
    paragraph(text, 'quiet'),
  ];
}
