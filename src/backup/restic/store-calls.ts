/** Lets a worker thread call methods of the main thread: those of the store, and those that report what it does. */
import { types } from 'node:util';
import { type ThreadError, fromThreadError, toThreadError } from '../../core/threads/thread-error';

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

export interface CallMessage {
  call: number;
  method: string;
  args: unknown[];
  isComplete?: never;
}

export type AnswerMessage = { call: number; result: unknown } | { call: number; error: ThreadError };

type Post = (message: unknown, transferred: ArrayBuffer[]) => void;

/** The worker's side: an object whose methods are calls. */
export class Caller {
  private readonly pending = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  private count = 0;

  constructor(private readonly post: Post) {}

  /** For each message of the main thread. */
  answer(message: AnswerMessage): void {
    const waiting = this.pending.get(message.call);
    this.pending.delete(message.call);
    if ('error' in message) waiting?.reject(fromThreadError(message.error));
    else waiting?.resolve(asBuffer(message.result));
  }

  /** @returns T, whose methods may only have arguments and results that a message can contain. Memory is passed on. */
  proxy<T extends object>(): T {
    const call = (method: string, args: unknown[]): Promise<unknown> => {
      const message = { call: this.count++, method, args };
      return new Promise((resolve, reject) => {
        this.pending.set(message.call, { resolve, reject });
        this.post(
          message,
          args.filter((arg) => types.isArrayBuffer(arg)),
        );
      });
    };
    // A promise resolves with the proxy, so it must not look like one itself.
    const get = (_: T, method: string | symbol): unknown =>
      typeof method === 'string' && method !== 'then'
        ? (...args: unknown[]) => call(method, args)
        : undefined;
    return new Proxy({} as T, { get });
  }
}

/** A buffer arrives as an array. */
function asBuffer(result: unknown): unknown {
  return types.isUint8Array(result) ? Buffer.from(result.buffer, result.byteOffset, result.length) : result;
}

/** @returns the memory that can be passed on instead of copied. Small buffers share theirs. */
function ownMemory(result: unknown): ArrayBuffer[] {
  if (types.isArrayBuffer(result)) return [result];
  if (!types.isUint8Array(result) || result.length < result.buffer.byteLength) return [];
  return [result.buffer as ArrayBuffer];
}

/** The main thread's side. */
export async function answerCall(
  host: object,
  { call, method, args }: CallMessage,
  post: Post,
): Promise<void> {
  try {
    const result = await (host as Methods)[method]?.(...args);
    post({ call, result } satisfies AnswerMessage, ownMemory(result));
  } catch (error) {
    post({ call, error: toThreadError(error) } satisfies AnswerMessage, []);
  }
}
