import type { TokenAnswer } from '../../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import { bucketOf, take } from '../../../../platform/sync/bucket.ts';
import type { Sharers, StateStore } from '../state.ts';
import { MemoryAttemptStore } from './attempts.ts';
import { Entries } from './entries.ts';
import { MemorySessionStore } from './sessions.ts';
import { MemoryTicketStore } from './tickets.ts';

/** Milliseconds between two sweeps. */
const sweepEvery = 10_000;
const mostBuckets = 200_000;

/** The state of one process, lost with it; a reload keeps it. */
export class MemoryStateStore implements StateStore {
  readonly name = 'auth:memory';
  readonly processLocal = true;
  readonly scope = undefined;
  readonly sessions: MemorySessionStore;
  readonly attempts: MemoryAttemptStore;
  readonly tickets: MemoryTicketStore;
  readonly #clock: Clock;
  /** A bucket that is nearly full again is the least loss. */
  readonly #buckets = new Entries<number>({ what: 'buckets', most: mostBuckets, whenFull: 'evict' });
  #sweeping: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.sessions = new MemorySessionStore(clock);
    this.attempts = new MemoryAttemptStore(clock);
    this.tickets = new MemoryTicketStore(clock);
  }

  /** Entries held in memory, including those that have ended and are not removed yet. */
  get size(): number {
    return this.sessions.size + this.attempts.size + this.tickets.size + this.#buckets.size;
  }

  async open(): Promise<void> {
    if (this.#sweeping !== undefined) return;
    this.#sweeping = new AbortController();
    void this.#sweepAgainAndAgain(this.#sweeping.signal);
  }

  async close(): Promise<void> {
    this.#sweeping?.abort();
    this.#sweeping = undefined;
    for (const part of this.#parts) part.clear();
  }

  enter(): Sharers {
    return { services: [], otherAccounts: false };
  }

  takeToken(key: string, rate: number, burst: number): TokenAnswer {
    const now = this.#clock.elapsed();
    const { arrival, answer } = take(bucketOf(rate, burst), this.#buckets.get(key, now), now);
    this.#buckets.set(key, arrival, arrival, now);
    return answer;
  }

  get #parts() {
    return [this.sessions, this.attempts, this.tickets, this.#buckets];
  }

  async #sweepAgainAndAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(sweepEvery, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const part of this.#parts) part.sweep(this.#clock.elapsed());
    }
  }
}
