/** What a message through a node came to, and whether that is as the contract has it. */
import type { NodeMessage } from 'node-red';
import catalogue from '../../nodes/account/locales/en-US/account.json';
import type { PruneResult } from '../../nodes/prune/prune';
import type { CaughtError, Ending } from '../support/node-red/load';
import { contentIn } from './node-flow';
import type { Operation, Outcome, Result } from './operations';

/** What the text of a mistake in this package begins with. */
const [UNEXPECTED = ''] = catalogue.errors.bad_response_unexpected.split('__');
/** A property of the user's that every message carries. */
export const USER_PROPERTY = { topic: 'of the user' };

interface DeleteResult {
  id: string;
  result: string;
}

/** @param seen what else was shown meanwhile: states, lines of the log */
export function outcomeOf(operation: Operation, ending: Ending, seen: unknown): Outcome {
  return ending.error ? failure(operation, ending, ending.error, seen) : success(operation, ending, seen);
}

function failure(operation: Operation, ending: Ending, error: CaughtError, seen: unknown): Outcome {
  const { cause, code, message } = error;
  const isKnown = cause !== undefined && !message.includes(UNEXPECTED);
  const violations: string[] = [];
  if (isKnown && code !== cause.code) violations.push(`code ${code ?? '-'} with the cause ${cause.code}`);
  const strange = Object.keys(cause ?? {}).filter((name) => !CAUSE.includes(name));
  if (strange.length > 0) violations.push(`the cause tells ${strange.join()}`);
  if (ending.sent.length > 0 && !isEach(operation)) violations.push(`sent ${ending.sent.length} and failed`);
  if (ending.msg.topic !== USER_PROPERTY.topic) violations.push('a property of the user was changed');
  return {
    ok: false,
    code: isKnown ? cause.code : 'not coded',
    text: message,
    violations,
    visibleText: toVisibleText([seen, ending.sent, ending.second, caughtMessage(operation, ending.msg)]),
    ...(cause?.code === 'partial_failure' ? { removedIds: removedIdsIn(operation, ending.msg.payload) } : {}),
  };
}

const CAUSE = ['code', 'status', 'reason', 'retryable'];

/** The content of an upload is the user's own. */
function caughtMessage({ kind }: Operation, msg: NodeMessage): NodeMessage {
  return kind === 'upload' ? { ...msg, payload: undefined } : msg;
}

function removedIdsIn({ kind }: Operation, payload: unknown): string[] {
  if (kind === 'prune') return idsOf((payload as PruneResult).removed);
  const results = payload as DeleteResult[];
  return results.flatMap(({ id, result }) => (result === 'failed' ? [] : [id]));
}

function success(operation: Operation, { sent, second }: Ending, seen: unknown): Outcome {
  const [msg = {}] = sent;
  const violations: string[] = [];
  if (!isEach(operation) && sent.length !== 1) violations.push(`sent ${sent.length} messages`);
  if (isEach(operation)) violations.push(...checkSequence(sent));
  if (sent.some(({ topic }) => topic !== USER_PROPERTY.topic))
    violations.push('a property of the user was changed');
  const result = resultOf(operation, msg, sent);
  const length = lengthOf(operation, result);
  if (length !== undefined && transferredIn(second) !== length)
    violations.push(`told of ${transferredIn(second)} bytes of ${length}`);
  const shown = operation.kind === 'download' ? sent.map((each) => ({ ...each, payload: '' })) : sent;
  return { ok: true, result, violations, visibleText: toVisibleText([seen, shown, second]) };
}

function isEach(operation: Operation): boolean {
  return 'each' in operation && operation.each;
}

function checkSequence(sent: NodeMessage[]): string[] {
  const parts = sent.map((msg) => msg['parts'] as { id: string; index: number; count?: number });
  const isWhole = parts.every(
    ({ id, index, count }, at) =>
      id === parts[0]?.id && index === at && count === (at === parts.length - 1 ? parts.length : undefined),
  );
  return isWhole ? [] : ['a sequence that is none'];
}

function resultOf(operation: Operation, msg: NodeMessage, sent: NodeMessage[]): Result {
  switch (operation.kind) {
    case 'list':
    case 'search': {
      const items = operation.each ? sent.map(({ payload }) => payload) : (msg.payload as unknown[]);
      return { ids: idsOf(items as { id: string }[]) };
    }
    case 'prune': {
      const { kept, removed } = msg.payload as PruneResult;
      return { ids: idsOf(removed), kept: idsOf(kept) };
    }
    case 'createFolder':
    case 'move':
    case 'copy':
    case 'restore':
    case 'upload': {
      const { id } = msg.payload as { id: string };
      return { ids: [id], created: msg['created'] === true, skipped: msg['skipped'] === true };
    }
    case 'download':
      return operation.output === 'file'
        ? { path: String(msg.payload) }
        : { content: contentIn(msg.payload) };
    default:
      return {};
  }
}

function idsOf(files: readonly { id: string }[]): string[] {
  return files.map(({ id }) => id);
}

/** Bytes that the second output should have told of at the end; undefined where it isn't known or told. */
function lengthOf(operation: Operation, { content, skipped }: Result): number | undefined {
  if (operation.kind === 'download') return content?.length;
  return operation.kind === 'upload' && skipped === false ? operation.content.length : undefined;
}

function transferredIn(second: NodeMessage[]): number {
  return (second.at(-1)?.payload as { transferred: number } | undefined)?.transferred ?? -1;
}

/** As text, bytes included. */
function toVisibleText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, plain: unknown) {
    const own = this[key];
    return Buffer.isBuffer(own) ? own.toString('latin1') : plain;
  });
}
