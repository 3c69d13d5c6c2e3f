/** Node's class of open files, which it doesn't export: what its methods do can be watched and slowed down. */
import { type FileHandle, open } from 'node:fs/promises';

type Method = (this: FileHandle, ...args: never[]) => unknown;

/** @returns for use inside a test: puts another method, made of the real one, in its place until the test's end */
export function useFileHandles(): <Real extends Method>(
  name: 'sync' | 'writev',
  other: (real: Real) => Real,
) => void {
  let handles: object;
  const restore: (() => void)[] = [];
  beforeEach(async () => {
    const handle = await open(__filename, 'r');
    await handle.close();
    handles = Object.getPrototypeOf(handle) as object;
  });
  afterEach(() => {
    for (const each of restore.splice(0)) each();
  });
  return (name, other) => {
    const real: unknown = Reflect.get(handles, name);
    Reflect.set(handles, name, other(real as Parameters<typeof other>[0]));
    restore.push(() => Reflect.set(handles, name, real));
  };
}
