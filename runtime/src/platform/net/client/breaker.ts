import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';

/** When a breaker opens and closes; times in milliseconds. */
export interface BreakerSettings {
  readonly failures: number;
  readonly window: number;
  readonly open: number;
  readonly halfOpen: number;
}

export type BreakerState = 'closed' | 'half-open' | 'open';

/** The result of an attempt: `neither` says nothing about the peer. */
export type Verdict = 'success' | 'failure' | 'neither';

/** Leave for one attempt, to be returned with its result. One that was given in an earlier state counts no more. */
export interface Permit {
  readonly era: number;
}

/** Counts and logs what a breaker does. */
export interface BreakerObserver {
  changed(state: BreakerState): void;
  /** Something was not sent. */
  refused(): void;
}

/** Milliseconds after which those come back for whom there was no room beside the requests that try a peer. */
const trialTime = 1000;

/**
 * The circuit breaker of one peer (docs/specification/http-client.md#circuit-breaker). So many failures within a window
 * open it, whatever succeeded meanwhile. After a time it lets through a few requests at once, and closes when as many
 * succeeded in a row. It goes by the time that passed, not by the time of the day.
 */
export class PeerBreaker {
  readonly #settings: BreakerSettings;
  readonly #clock: Clock;
  readonly #peer: string;
  readonly #observer: BreakerObserver;
  #state: BreakerState = 'closed';
  /** Counts changes of the state. */
  #era = 0;
  /** When the last failures were, as a ring. */
  readonly #failedAt: number[] = [];
  #next = 0;
  #openedAt = 0;
  #trying = 0;
  #succeeded = 0;

  /** `peer` is for messages. */
  constructor(peer: string, settings: BreakerSettings, clock: Clock, observer: BreakerObserver) {
    this.#peer = peer;
    this.#settings = settings;
    this.#clock = clock;
    this.#observer = observer;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Throws `peer_unavailable` when nothing may be sent. Every permit must be returned. */
  enter(): Permit {
    if (this.#state === 'open') {
      const remaining = this.#openedAt + this.#settings.open - this.#clock.elapsed();
      if (remaining > 0) throw this.#refusal(remaining);
      this.#become('half-open');
    }
    if (this.#state === 'half-open') {
      if (this.#trying >= this.#settings.halfOpen) throw this.#refusal(trialTime);
      this.#trying++;
    }
    return { era: this.#era };
  }

  leave({ era }: Permit, verdict: Verdict): void {
    if (era !== this.#era) return;
    if (this.#state === 'closed') {
      if (verdict === 'failure') this.#fail();
      return;
    }
    this.#trying--;
    if (verdict === 'failure') this.#become('open');
    else if (verdict === 'success' && ++this.#succeeded >= this.#settings.halfOpen) this.#become('closed');
  }

  #fail(): void {
    const { failures, window } = this.#settings;
    const now = this.#clock.elapsed();
    this.#failedAt[this.#next] = now;
    this.#next = (this.#next + 1) % failures;
    const oldest = this.#failedAt[this.#next];
    if (oldest !== undefined && now - oldest < window) this.#become('open');
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#era++;
    this.#trying = 0;
    this.#succeeded = 0;
    this.#failedAt.length = 0;
    this.#next = 0;
    if (state === 'open') this.#openedAt = this.#clock.elapsed();
    this.#observer.changed(state);
  }

  #refusal(retryAfter: number): Failure {
    this.#observer.refused();
    const says = `nothing is sent to ${this.#peer}: it failed too often, and its circuit breaker is ${this.#state}`;
    return new Failure('peer_unavailable', says, { retryAfter });
  }
}
