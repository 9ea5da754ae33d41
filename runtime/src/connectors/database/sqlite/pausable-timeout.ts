import { systemClock } from '../../../foundation/observe/clock.ts';

/** A time limit that can be stopped and continued with what was left of it. */
export class PausableTimeout {
  private readonly over: () => void;
  private left: number;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `over` is called once after so many milliseconds of running. */
  constructor(milliseconds: number, over: () => void) {
    this.left = milliseconds;
    this.over = over;
  }

  run(): void {
    if (this.timer !== undefined) return;
    this.since = systemClock.elapsed();
    this.timer = setTimeout(this.over, Math.max(this.left, 0));
  }

  stop(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.left -= systemClock.elapsed() - this.since;
  }
}
