/** Replaces methods of Node's FileHandle, a class that Node doesn't export, to observe or delay file access. */
import { type FileHandle, open } from 'node:fs/promises';

type Method = (this: FileHandle, ...args: never[]) => unknown;

/** @returns a function for use inside a test: replaces a method by one made of the real one, until the test ends */
export function useFileHandles(): <Real extends Method>(
  name: 'read' | 'stat' | 'sync' | 'utimes' | 'write' | 'writev',
  wrap: (real: Real) => Real,
) => void {
  let prototype: object;
  const restore: (() => void)[] = [];
  beforeEach(async () => {
    const handle = await open(__filename, 'r');
    await handle.close();
    prototype = Object.getPrototypeOf(handle) as object;
  });
  afterEach(() => {
    for (const each of restore.splice(0)) each();
  });
  return (name, wrap) => {
    const real: unknown = Reflect.get(prototype, name);
    Reflect.set(prototype, name, wrap(real as Parameters<typeof wrap>[0]));
    restore.push(() => Reflect.set(prototype, name, real));
  };
}
