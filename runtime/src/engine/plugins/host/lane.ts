/** Bytes of calls that are handed to a thread together, and of answers that come back so. */
export const laneBytes = 256 * 1024;

/** Calls that are handed over together. */
export const mostTogether = 64;

/** Numbers of a call in `states`. */
export const fields = 5;

/**
 * Memory that the service and a thread of a module share: the inputs of calls on the way there, their answers on the
 * way back. The thread marks each answer as it is made, so that those before an endless call are known although the
 * thread can send nothing any more.
 */
export interface Lane {
  readonly inputs: SharedArrayBuffer;
  readonly answers: SharedArrayBuffer;
  /**
   * `[calls that have ended]`, then of each call `fields` numbers: which function, the length of its input, how it ended,
   * the place and the length of its answer.
   */
  readonly states: SharedArrayBuffer;
  /** When the call that runs began, in milliseconds of the system's steady clock. */
  readonly clock: SharedArrayBuffer;
}

export function createLane(): Lane {
  return {
    inputs: new SharedArrayBuffer(laneBytes),
    answers: new SharedArrayBuffer(laneBytes),
    states: new SharedArrayBuffer(4 * (1 + fields * mostTogether)),
    clock: new SharedArrayBuffer(8),
  };
}

/** How a call ended, as the thread says it. */
export const status = {
  /** A JSON text. */
  text: 0,
  true: 1,
  false: 2,
  /** The module trapped or broke a rule; the text says how. Its instance was made new. */
  failed: 3,
  /** The same, and no new instance could be made: the thread is of no more use. */
  broken: 4,
  /** An input or a result beyond the limit. */
  large: 5,
} as const;

export type Status = (typeof status)[keyof typeof status];

/** The steady clock of the machine in milliseconds, the same in all threads. */
export function steadyTime(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
