/** The time, in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that only moves when a test advances it. */
export class TestClock implements Clock {
  constructor(private time = Date.parse('2024-05-17T10:00:00.000Z')) {}

  now(): number {
    return this.time;
  }

  advance(seconds: number): void {
    this.time += seconds * 1000;
  }
}
