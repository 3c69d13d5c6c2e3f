/** What a person sees of an account: who is signed in, what it may see, how full the drive is; or why somebody has to. */
import { reasonOf } from '../../shared/editor/admin-request';
import type { AccountStatus, ConnectionStatus, DriveUser } from '../../shared/contract/account-api';
import { scopeName } from './scope-choice.editor';
import { sizeText } from '../../shared/editor/format-size';
import { sharedText } from '../../shared/editor/texts';
import { type Part, bar, box, line } from './panel-parts.editor';
import { connectionOf } from './sign-in-requests.editor';

export function accountLines({ account, scope, missingScopes = [], since }: AccountStatus): Part[] {
  const who = nameOf(account);
  const title = who ? sharedText('panel.signed_in_as', { who }) : sharedText('panel.signed_in');
  const lines = [
    line(title, 'title').prepend('<i class="fa fa-check-circle cloud-drive-good" aria-hidden="true"></i> '),
  ];
  const time = since === undefined ? undefined : new Date(since);
  if (time && !Number.isNaN(time.getTime())) {
    const shown = time.toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });
    lines.push(line(sharedText('panel.since', { time: shown }), 'quiet'));
  }
  if (scope) {
    const names = scope.split(' ').map(scopeName).join(', ');
    lines.push(line(sharedText('panel.scope', { scope: names }), 'quiet').attr('title', scope));
  }
  if (missingScopes.length > 0) {
    lines.push(line(sharedText('panel.missing_scopes', { scopes: missingScopes.join(', ') }), 'bad'));
  }
  return lines;
}

export function reasonLines({ needsSignIn, isNew }: AccountStatus): Part[] {
  // Where nobody ever signed in, the sentence tells to open this very panel.
  if (!needsSignIn || isNew) return [line(sharedText('panel.not_signed_in'), 'title')];
  return [line(sharedText('panel.needs_sign_in'), 'title'), line(needsSignIn.message)];
}

export function nameOf(account: DriveUser | undefined): string {
  const { displayName = '', emailAddress = '' } = account ?? {};
  return displayName && emailAddress ? `${displayName} <${emailAddress}>` : displayName || emailAddress;
}

/** Shows how the service answers; `test` asks it. */
export function connectionView(id: string): { element: Part; test(asked: boolean): Promise<void> } {
  const element = box('connection').attr('role', 'status');
  let tests = 0;
  const test = async (asked: boolean): Promise<void> => {
    const own = ++tests;
    if (asked) element.empty().append(line(sharedText('panel.testing'), 'quiet'));
    const begun = performance.now();
    const show = (...lines: Part[]): void => {
      // Of two that overlap, the later one is what the person asked for.
      if (own === tests) element.empty().append(...lines);
    };
    try {
      const found = await connectionOf(id);
      const took = Math.max(0.1, (performance.now() - begun) / 1_000);
      const seconds = took.toLocaleString(undefined, { maximumFractionDigits: 1 });
      const works = line(sharedText('panel.works', { seconds }), 'good');
      show(...storageLines(found), ...(asked ? [works] : []));
    } catch (error) {
      show(line(reasonOf(error), 'bad'));
    }
  };
  return { element, test };
}

function storageLines({ storage }: ConnectionStatus): Part[] {
  if (!storage) return [];
  const { usage, limit, inTrash = 0 } = storage;
  const used = bytes(usage);
  const trash = inTrash > 0 ? [sharedText('panel.in_trash', { size: bytes(inTrash) })] : [];
  if (limit === undefined || limit === 0) {
    const text = [sharedText('panel.storage_unlimited', { used }), ...trash].join(' · ');
    return [line(text, 'quiet')];
  }
  const text = [sharedText('panel.storage', { used, limit: bytes(limit) }), ...trash].join(' · ');
  const part = usage / limit;
  return [bar(part, text).toggleClass('cloud-drive-full', part > 0.9), line(text, 'quiet')];
}

/** As the service counts: 15 GB of it are 15 · 1024³ bytes. */
function bytes(count: number): string {
  return sizeText(count, 1_024);
}
