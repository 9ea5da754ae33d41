import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Clock, Reading } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Histogram } from '../../../foundation/observe/registry.ts';
import { withinTime } from '../../../platform/net/within-time.ts';

/** Ends what cannot exist twice. Calls of flows under way are carried out as before, where the connector distinguishes that. */
export function closeSource(connector: Connector, cut: AbortSignal): Promise<void> {
  return connector.closeSource?.(cut) ?? connector.close(cut);
}

export interface HandoverTimes {
  /** Milliseconds in which the predecessor may settle what it has taken. */
  readonly drain: number;
  /** Milliseconds in which a connector may open or close. */
  readonly open: number;
}

/** The exchange of a connector for another one that cannot exist beside it: for a moment neither is open. */
export class Handover {
  readonly name: string;
  readonly #predecessor: Connector;
  readonly #successor: Connector;
  readonly #times: HandoverTimes;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Counts the times when neither is open. */
  readonly #gap: Histogram;
  #began: Reading;

  constructor(
    predecessor: Connector,
    successor: Connector,
    times: HandoverTimes,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
    gap: Histogram,
  ) {
    this.name = successor.name;
    this.#predecessor = predecessor;
    this.#successor = successor;
    this.#times = times;
    this.#clock = clock;
    this.#began = clock.reading();
    this.#log = log;
    this.#gap = gap;
  }

  /** `use` binds the flows of the successor, and returns whether it starts. Rejects when it cannot be opened. */
  async run(use: () => boolean): Promise<void> {
    this.#began = this.#clock.reading();
    await withinTime(this.#times.drain, (signal) => this.#predecessor.source?.stop(signal));
    await withinTime(this.#times.open, (cut) => closeSource(this.#predecessor, cut));
    await withinTime(this.#times.open, (signal) => this.#successor.open(signal));
    if (use()) await this.#successor.source?.start();
    this.#count('connector was closed before its successor opened');
  }

  #count(message: string): void {
    const gap = this.#clock.since(this.#began);
    this.#gap.observe(gap / 1_000);
    this.#log.info(message, { connector: this.name, gap: `${Math.round(gap)}ms` });
  }

  /** Restores the predecessor. Never rejects. */
  async revert(): Promise<void> {
    try {
      await withinTime(this.#times.open, (cut) => this.#successor.close(cut));
      await withinTime(this.#times.open, (signal) => this.#predecessor.open(signal));
      await this.#predecessor.source?.start();
      this.#count('connector was closed, and opened again as it was: its successor could not open');
    } catch (error) {
      this.#log.error('a connector could not be opened again after a failed reload', { connector: this.name, error });
    }
  }
}
