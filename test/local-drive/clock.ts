/** Where the service gets the time from, in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  constructor(private time = Date.parse('2024-05-17T10:00:00.000Z')) {}

  now(): number {
    return this.time;
  }

  /** Moves the clock forward. */
  advance(seconds: number): void {
    this.time += seconds * 1000;
  }
}
