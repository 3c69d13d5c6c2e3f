/** Polls the runtime: when it publishes a change, and at an interval in case notifications don't arrive. */

export class Poller {
  private topic: string | undefined;
  private timer: number | undefined;
  private isPolling = false;
  private isStale = false;
  private isStopped = false;

  /** @param poll never rejects; it isn't called again before it has resolved */
  constructor(private readonly poll: () => Promise<void>) {}

  /**
   * @param topic of the runtime's notifications
   * @param interval milliseconds
   */
  start(topic: string | undefined, interval: number): void {
    if (this.isStopped) return;
    if (topic !== this.topic) {
      this.unsubscribe();
      this.topic = topic;
      if (topic !== undefined) RED.comms.subscribe(topic, this.onChange);
    }
    clearInterval(this.timer);
    this.timer = window.setInterval(this.onChange, interval);
  }

  /** A stopped poller can't be started again. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    this.unsubscribe();
  }

  private unsubscribe(): void {
    if (this.topic !== undefined) RED.comms.unsubscribe(this.topic, this.onChange);
    this.topic = undefined;
  }

  private readonly onChange = (): void => void this.update();

  private async update(): Promise<void> {
    this.isStale = true;
    if (this.isPolling) return;
    this.isPolling = true;
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      await this.poll();
    }
    this.isPolling = false;
  }
}
