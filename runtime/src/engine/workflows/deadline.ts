import type { Clock } from '../../foundation/observe/clock.ts';

/** A time limit that is suspended while it is paused. */
export interface Deadline {
  /** Stops the time; the returned function resumes it. Several callers may hold it at once. */
  hold(): () => void;
  /** Cancels the deadline. */
  end(): void;
}

/** Calls `late` once when the time is over. */
export function startDeadline(clock: Clock, milliseconds: number, late: () => void): Deadline {
  let left = milliseconds;
  let holders = 0;
  let timer: AbortController | undefined;
  let began = 0;
  let ended = false;

  const run = (): void => {
    const own = new AbortController();
    timer = own;
    began = clock.elapsed();
    clock.sleep(left, own.signal).then(
      () => {
        if (own.signal.aborted || ended) return;
        ended = true;
        late();
      },
      () => undefined,
    );
  };
  run();

  return {
    hold: () => {
      if (holders++ === 0 && !ended) {
        timer?.abort();
        left = Math.max(0, left - (clock.elapsed() - began));
      }
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        if (--holders === 0 && !ended) run();
      };
    },
    end: () => {
      ended = true;
      timer?.abort();
    },
  };
}
