import { EventEmitter } from 'node:events';

/** Waits for events of another process; rejects when the process has ended. */
export class EventWaiter {
  private readonly events = new EventEmitter().setMaxListeners(0);

  emit(event: string): void {
    this.events.emit(event);
  }

  /** Rejects all current waits. */
  fail(error: Error): void {
    this.events.emit('end', error);
  }

  /** Resolves at the next event. */
  next(event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (callback: () => void): void => {
        this.events.off(event, onEvent).off('end', onEnd);
        callback();
      };
      const onEvent = (): void => settle(resolve);
      const onEnd = (error: Error): void => settle(() => reject(error));
      this.events.on(event, onEvent).on('end', onEnd);
    });
  }

  /** Checks now and after each event until there is a value. */
  async waitFor<T>(event: string, check: () => T | undefined): Promise<T> {
    let found = check();
    for (; found === undefined; found = check()) await this.next(event);
    return found;
  }
}
