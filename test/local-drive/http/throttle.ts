/** How long to wait before more than `bytes` may have moved at that rate. */
export class Throttle {
  private readonly start = performance.now();
  private bytes = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /** @returns ms, after another so many bytes */
  delayAfter(bytes: number): number {
    this.bytes += bytes;
    return Math.max(0, this.start + (this.bytes * 1_000) / this.bytesPerSecond - performance.now());
  }
}
