import type { Resource } from '../../../foundation/contracts/plan.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';

/** When a breaker opens and closes. `timeout` in milliseconds. */
export interface BreakerSettings {
  readonly failures: number;
  readonly successes: number;
  readonly timeout: number;
}

export type BreakerState = 'closed' | 'half-open' | 'open';

/** A permit for one call, to be returned with its result; calls that began in an earlier state are ignored. */
export interface Leave {
  readonly era: number;
}

/** The result of a call: `neither` says nothing about the called system. */
export type Verdict = 'success' | 'failure' | 'neither';

/**
 * A circuit breaker (docs/specification/flow.md#circuit-breakers). Consecutive failures open it; after a time it lets
 * through one trial call at a time, and consecutive successes close it again. It outlives reloads; the settings come
 * with each call.
 */
export class CircuitBreaker implements Resource {
  readonly name: string;
  readonly #clock: Clock;
  readonly #changed: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  /** Counts changes of the state. */
  #era = 0;
  /** Consecutive failures while closed, consecutive successes while half open. */
  #inARow = 0;
  #openedAt = 0;
  #isTrying = false;

  constructor(name: string, clock: Clock, changed: (state: BreakerState) => void) {
    this.name = name;
    this.#clock = clock;
    this.#changed = changed;
  }

  get state(): BreakerState {
    return this.#state;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  /** Throws `circuit_open` when the call must not be made. Every permit must be returned. */
  enter({ timeout }: BreakerSettings): Leave {
    if (this.#state === 'open') {
      const remaining = this.#openedAt + timeout - this.#clock.elapsed();
      if (remaining > 0) throw this.#refusal(remaining);
      this.#become('half-open');
    }
    if (this.#state === 'half-open') {
      if (this.#isTrying) throw this.#refusal(undefined);
      this.#isTrying = true;
    }
    return { era: this.#era };
  }

  leave({ era }: Leave, verdict: Verdict, { failures, successes }: BreakerSettings): void {
    if (era !== this.#era) return;
    this.#isTrying = false;
    if (verdict === 'neither') return;
    if (this.#state === 'half-open') {
      if (verdict === 'failure') this.#become('open');
      else if (++this.#inARow >= successes) this.#become('closed');
    } else if (verdict === 'success') this.#inARow = 0;
    else if (++this.#inARow >= failures) this.#become('open');
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#era++;
    this.#inARow = 0;
    this.#isTrying = false;
    if (state === 'open') this.#openedAt = this.#clock.elapsed();
    this.#changed(state);
  }

  #refusal(retryAfter: number | undefined): Failure {
    return new Failure('circuit_open', `circuit breaker ${this.name} is open`, { retryAfter: retryAfter ?? 1000 });
  }
}
