/**
 * How freely an event source takes messages: as many as it may, one after another, or none but those that are pulled; of
 * a source without `pull` that is none.
 */
export type Intake = 'open' | 'single' | 'demand';

/** What a debugger knows of an event source, and how it holds it back over the debug protocol. */
export interface EventSource {
  /** The neutral name of its kind: `amqp_broker`. */
  readonly type: string;
  /** Where its messages come from: a queue, or topics joined by commas. */
  readonly name: string;
  /** Most messages that it holds at a time while it is open; undefined: as many as come. */
  readonly prefetch: number | undefined;
  /** Messages taken and not settled. */
  readonly unsettled: number;
  /**
   * Says how freely it takes messages from now on, also before `start` and across lost connections. What was taken and
   * not begun goes back where that is possible; what was begun goes on. `demand` is asked of sources without `pull` too,
   * while a debugger sets its breakpoints.
   */
  admit(intake: Intake): void;
  /** Messages that wait to be taken; undefined when it cannot tell now. Absent: it never can. */
  waiting?(): Promise<number | undefined>;
  /**
   * Takes exactly one message while the intake is `demand`, and waits for one to come. Rejects with the reason of the
   * signal when that fires first, and with a Failure `cancelled` when it can pull no more; nothing is taken then.
   * Absent: messages are pushed.
   */
  pull?(signal: AbortSignal): Promise<Pulled>;
}

/** A message that was taken on demand. */
export interface Pulled {
  /** Resolves when its flows have ended and the broker was told, or is about to be after a pause. Never rejects. */
  readonly settled: Promise<void>;
}
