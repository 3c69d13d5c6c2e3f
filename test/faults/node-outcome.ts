/** The outcome of a message to a node, with contract violations. */
import type { NodeMessage } from 'node-red';
import catalogue from '../../nodes/account/locales/en-US/account.json';
import type { PruneResult } from '../../nodes/prune/prune';
import type { CaughtError, Ending } from '../support/node-red/load';
import { contentIn } from './node-flow';
import type { Operation, Outcome, Result } from './operations';

/** The start of the error text of unexpected exceptions. */
const [UNEXPECTED = ''] = catalogue.errors.bad_response_unexpected.split('__');
/** A user property of every message, which nodes must keep. */
export const USER_PROPERTY = { topic: 'user topic' };

interface DeleteResult {
  id: string;
  result: string;
}

/** @param shown other visible output: statuses and log lines */
export function outcomeOf(operation: Operation, ending: Ending, shown: unknown): Outcome {
  return ending.error ? failure(operation, ending, ending.error, shown) : success(operation, ending, shown);
}

function failure(operation: Operation, ending: Ending, error: CaughtError, shown: unknown): Outcome {
  const { cause, code, message } = error;
  const isKnown = cause !== undefined && !message.includes(UNEXPECTED);
  const violations: string[] = [];
  if (isKnown && code !== cause.code) violations.push(`code ${code ?? '-'} with the cause ${cause.code}`);
  const unexpected = Object.keys(cause ?? {}).filter((name) => !CAUSE.includes(name));
  if (unexpected.length > 0) violations.push(`unexpected members of the cause: ${unexpected.join()}`);
  if (ending.sent.length > 0 && !isEach(operation)) violations.push(`sent ${ending.sent.length} and failed`);
  if (ending.msg.topic !== USER_PROPERTY.topic) violations.push('a user property was changed');
  return {
    ok: false,
    code: isKnown ? cause.code : 'error without code',
    text: message,
    violations,
    visibleText: toVisibleText([shown, ending.sent, ending.second, caughtMessage(operation, ending.msg)]),
    ...(cause?.code === 'partial_failure' ? { removedIds: removedIdsIn(operation, ending.msg.payload) } : {}),
  };
}

const CAUSE = ['code', 'status', 'reason', 'retryable'];

/** The payload of an upload may contain secrets of the user. */
function caughtMessage({ kind }: Operation, msg: NodeMessage): NodeMessage {
  return kind === 'upload' ? { ...msg, payload: undefined } : msg;
}

function removedIdsIn({ kind }: Operation, payload: unknown): string[] {
  if (kind === 'prune') return idsOf((payload as PruneResult).removed);
  const results = payload as DeleteResult[];
  return results.flatMap(({ id, result }) => (result === 'failed' ? [] : [id]));
}

function success(operation: Operation, { sent, second }: Ending, shown: unknown): Outcome {
  const [msg = {}] = sent;
  const violations: string[] = [];
  if (!isEach(operation) && sent.length !== 1) violations.push(`sent ${sent.length} messages`);
  if (isEach(operation)) violations.push(...checkSequence(sent));
  if (sent.some(({ topic }) => topic !== USER_PROPERTY.topic)) violations.push('a user property was changed');
  const result = resultOf(operation, msg, sent);
  const length = lengthOf(operation, result);
  if (length !== undefined && transferredIn(second) !== length)
    violations.push(`progress reported ${transferredIn(second)} of ${length} bytes`);
  const visible = operation.kind === 'download' ? sent.map((each) => ({ ...each, payload: '' })) : sent;
  return { ok: true, result, violations, visibleText: toVisibleText([shown, visible, second]) };
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
  return isWhole ? [] : ['invalid msg.parts'];
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

/** Bytes that the last progress message should report; undefined if there is none. */
function lengthOf(operation: Operation, { content, skipped }: Result): number | undefined {
  if (operation.kind === 'download') return content?.length;
  return operation.kind === 'upload' && skipped === false ? operation.content.length : undefined;
}

function transferredIn(second: NodeMessage[]): number {
  return (second.at(-1)?.payload as { transferred: number } | undefined)?.transferred ?? -1;
}

/** Serializes a value, including the text in Buffers. */
function toVisibleText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, plain: unknown) {
    const own = this[key];
    return Buffer.isBuffer(own) ? own.toString('latin1') : plain;
  });
}
