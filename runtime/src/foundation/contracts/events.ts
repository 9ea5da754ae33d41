import type { QueueCounts } from './queue.ts';

/**
 * How freely an event source takes messages: as many as it may, one after another, or only those that are pulled; of
 * a source without `pull` no message at all.
 */
export type Intake = 'open' | 'single' | 'demand';

/** An event source as a debugger sees it, and how the debug protocol controls its intake. */
export interface EventSource {
  /** The canonical name of its spec. */
  readonly type: string;
  /** Where its messages come from: a queue, or topics joined by commas. */
  readonly name: string;
  /** Most messages that it holds at a time while it is open; undefined: as many as come. */
  readonly prefetch: number | undefined;
  /** Messages taken and not settled. */
  readonly unsettled: number;
  /**
   * Sets how freely it takes messages from now on, also before `start` and across lost connections. What was taken and
   * not begun goes back where that is possible; what was begun continues. `demand` is asked of sources without `pull` too,
   * while a debugger sets its breakpoints.
   */
  admit(intake: Intake): void;
  /**
   * Messages that wait to be taken, of the whole source, whichever process will take them; undefined when it does not know
   * now. Absent: it never knows.
   */
  waiting?(): Promise<number | undefined>;
  /**
   * What the broker says of each queue, topic or stream that messages come from; undefined when it does not answer now. Absent:
   * it says nothing of them.
   */
  figures?(): Promise<ReadonlyMap<string, QueueCounts> | undefined>;
  /** Whether these are known by what is done alone, as of a log: then what is held counts as waiting. */
  readonly countsHeld?: boolean | undefined;
  /**
   * Takes exactly one message while the intake is `demand`, and waits for one to come. Rejects with the reason of the
   * signal when that fires first, and with a Failure `cancelled` when it stops; nothing is taken then.
   * Absent: messages are pushed.
   */
  pull?(signal: AbortSignal): Promise<Pulled>;
}

/** A message that was taken on demand. */
export interface Pulled {
  /** Resolves when its flows have ended and the broker was notified, or is about to be after a pause. Never rejects. */
  readonly settled: Promise<void>;
}
