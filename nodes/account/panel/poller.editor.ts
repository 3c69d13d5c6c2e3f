/** Staying up to date with the server: by its news, and by looking every so often where they don't come through. */

export class Poller {
  private topic: string | undefined;
  private timer: number | undefined;
  private isLooking = false;
  private isStale = false;
  private isStopped = false;

  /** @param look asks the server; never rejects. Is not called again before it is done */
  constructor(private readonly look: () => Promise<void>) {}

  /** @param every ms between two looks without news */
  follow(topic: string | undefined, every: number): void {
    if (this.isStopped) return;
    if (topic !== this.topic) {
      this.unsubscribe();
      this.topic = topic;
      if (topic !== undefined) RED.comms.subscribe(topic, this.onNews);
    }
    clearInterval(this.timer);
    this.timer = window.setInterval(this.onNews, every);
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    this.unsubscribe();
  }

  private unsubscribe(): void {
    if (this.topic !== undefined) RED.comms.unsubscribe(this.topic, this.onNews);
    this.topic = undefined;
  }

  private readonly onNews = (): void => void this.lookOnce();

  private async lookOnce(): Promise<void> {
    this.isStale = true;
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      await this.look();
    }
    this.isLooking = false;
  }
}
