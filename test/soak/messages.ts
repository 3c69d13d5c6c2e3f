/** The messages of one worker, repeated: upload a file, find it, download it, delete it. */
import type { NodeMessage } from 'node-red';

/** A message and the check of its output. */
export interface Step {
  node: 'about' | 'list' | 'search' | 'upload' | 'download' | 'delete';
  msg: NodeMessage;
  /** Whether the output is as expected; stores values for later steps. */
  check: (output: NodeMessage) => boolean;
}

const LENGTHS = [0, 1, 300, 5_000, 60_000];

/** @param prefix unique per worker */
export function* messageSteps(prefix: string, folderId: string): Generator<Step, never> {
  for (let round = 0; ; round++) {
    const name = `${prefix} ${round}.bin`;
    const content = Buffer.alloc(LENGTHS[round % LENGTHS.length] ?? 0, name);
    let id = '';
    const isFile = (file: unknown): boolean => (file as { id?: unknown } | undefined)?.id === id;
    yield {
      node: 'upload',
      msg: { payload: content, filename: name, folderId },
      check: ({ payload }) => {
        ({ id } = payload as { id: string });
        return id !== '';
      },
    };
    yield { node: 'about', msg: {}, check: ({ payload }) => 'user' in (payload as object) };
    yield {
      node: 'search',
      msg: { payload: { folderId, text: name } },
      check: ({ payload }) => Array.isArray(payload) && payload.length === 1 && isFile(payload[0]),
    };
    yield {
      node: 'download',
      msg: { payload: id },
      check: ({ payload }) => Buffer.isBuffer(payload) && payload.equals(content),
    };
    yield {
      node: 'list',
      msg: { payload: folderId },
      check: ({ payload }) => Array.isArray(payload) && payload.length === 1,
    };
    yield {
      node: 'delete',
      msg: { payload: id },
      check: ({ payload }) => isFile(payload) && (payload as { result: string }).result === 'deleted',
    };
  }
}
