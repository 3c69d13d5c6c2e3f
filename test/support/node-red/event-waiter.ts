import { EventEmitter } from 'node:events';

/** What happens in another process, for those who wait for it; they are told too when it can't happen any more. */
export class EventWaiter {
  private readonly events = new EventEmitter().setMaxListeners(0);

  emit(what: string): void {
    this.events.emit(what);
  }

  /** Everything that is waited for fails. */
  fail(error: Error): void {
    this.events.emit('end', error);
  }

  /** Resolves when it happens the next time. */
  next(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        this.events.off(what, happened).off('end', failed);
        end();
      };
      const happened = (): void => settle(resolve);
      const failed = (error: Error): void => settle(() => reject(error));
      this.events.on(what, happened).on('end', failed);
    });
  }

  /** Looks now and each time it happens, until there is something. */
  async waitFor<T>(what: string, look: () => T | undefined): Promise<T> {
    let found = look();
    for (; found === undefined; found = look()) await this.next(what);
    return found;
  }
}
