/** Blocks the event loop, like synchronous work or a process that gets no CPU time. */
export function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
