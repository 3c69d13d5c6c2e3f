/** Computes the delays that limit a transfer to a rate. */
export class Throttle {
  private readonly start = performance.now();
  private bytes = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /** @returns milliseconds to wait after these bytes */
  delayAfter(bytes: number): number {
    this.bytes += bytes;
    return Math.max(0, this.start + (this.bytes * 1_000) / this.bytesPerSecond - performance.now());
  }
}
