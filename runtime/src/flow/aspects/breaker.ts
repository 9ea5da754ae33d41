import type { Resource } from '../../contracts/plan.ts';
import { Failure } from '../../errors/failure.ts';
import type { Clock } from '../../observe/clock.ts';

/** When a breaker opens and closes. `timeout` in milliseconds. */
export interface BreakerSettings {
  readonly failures: number;
  readonly successes: number;
  readonly timeout: number;
}

export type BreakerState = 'closed' | 'half-open' | 'open';

/** Leave for one call, to be given back with what it came to; calls that began in an earlier state say nothing any more. */
export interface Leave {
  readonly era: number;
}

/** What a call came to: `neither` says nothing about what was called. */
export type Verdict = 'success' | 'failure' | 'neither';

/**
 * A circuit breaker (document 1, Circuit breaker). Failures in a row open it; after a time one call after another is let
 * through to try, and successes in a row close it again. It outlives reloads; the settings come with each question.
 */
export class CircuitBreaker implements Resource {
  readonly name: string;
  readonly #clock: Clock;
  readonly #changed: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  /** Counts changes of the state. */
  #era = 0;
  /** Failures in a row while closed, successes in a row while trying. */
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

  /** Throws `circuit_open` when the call must not be made. Every leave is given back. */
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
