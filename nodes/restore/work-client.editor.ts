/** Work that the restore node's admin routes do for the dialog, such as reading a large archive. */
import type { StartedWork, WorkProgress, WorkState } from '../shared/contract/dialog-api';
import { adminRequest } from '../shared/editor/admin-request';
import type { DialogValues } from '../shared/editor/dialog-test';

const NODE = 'cloud-drive-restore';

export interface WorkOptions {
  signal: AbortSignal;
  onProgress: (progress: WorkProgress) => void;
}

/** @param path below the type of the node. @throws AdminRequestError, and an error with the message of the failed work */
export async function runWork<Result>(
  path: readonly string[],
  body: object,
  { signal, onProgress }: WorkOptions,
): Promise<Result> {
  const { work } = await adminRequest<StartedWork>('POST', path, { node: NODE, body, signal });
  const cancel = (): void =>
    void adminRequest('DELETE', ['work', work], { node: NODE }).catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      const state = await adminRequest<WorkState<Result>>('GET', ['work', work], { node: NODE, signal });
      if (state.state === 'done') return state.result;
      if (state.state === 'failed') throw new Error(state.error.message);
      if (state.progress) onProgress(state.progress);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** What these routes read of the dialog. */
export function workBody(node: EditorNode, { settings, examples }: DialogValues): object {
  const secret = (name: string): string => String($(`#node-input-${name}`).val() ?? '');
  const secrets = { passphrase: secret('passphrase'), identity: secret('identity') };
  return { node: node.id, settings, examples, secrets };
}

/** @returns `45`; undefined if the total is unknown */
export function percentOf({ done, total }: WorkProgress): number | undefined {
  return total ? Math.floor((100 * done) / total) : undefined;
}
