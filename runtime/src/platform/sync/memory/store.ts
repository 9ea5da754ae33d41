import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { Expiring } from '../expiring.ts';
import type { LockGrant, SyncStore } from '../store.ts';

/** Milliseconds between two sweeps. */
const sweepEvery = 1_000;
const sweepSequencesEvery = 60_000;

/** The state of one process, answered at once. It is lost with the process; a reload keeps it. */
export class MemorySyncStore implements SyncStore {
  readonly name = 'sync:memory';
  readonly processLocal: boolean = true;
  readonly #clock: Clock;
  readonly #locks = new Expiring<string>();
  readonly #pools = new Map<string, Expiring<true>>();
  readonly #sequences = new Expiring<bigint>();
  readonly #signals = new Expiring<true>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #sweeping: AbortController | undefined;
  #lastToken = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async open(): Promise<void> {
    if (this.#sweeping !== undefined) return;
    this.#sweeping = new AbortController();
    void this.#sweepAgainAndAgain(this.#sweeping.signal);
  }

  async close(): Promise<void> {
    this.#sweeping?.abort();
    this.#sweeping = undefined;
    for (const entries of [this.#locks, this.#pools, this.#sequences, this.#signals, this.#waiters]) entries.clear();
  }

  /** Entries held in memory, including expired ones that have not been removed yet. */
  get size(): number {
    return this.#locks.size + this.#pools.size + this.#sequences.size + this.#signals.size + this.#waiters.size;
  }

  acquire(key: string, ttl: number): LockGrant | undefined {
    const now = this.#clock.elapsed();
    if (this.#locks.get(key, now) !== undefined) return undefined;
    const owner = randomUUID();
    this.#locks.set(key, owner, now + ttl);
    return { owner, token: this.#nextToken() };
  }

  extend(key: string, owner: string, ttl: number): boolean {
    const now = this.#clock.elapsed();
    if (this.#locks.get(key, now) !== owner) return false;
    this.#locks.set(key, owner, now + ttl);
    return true;
  }

  release(key: string, owner: string): boolean {
    return this.#locks.get(key, this.#clock.elapsed()) === owner && this.#locks.delete(key);
  }

  takePermit(pool: string, most: number, lease: number): string | undefined {
    const now = this.#clock.elapsed();
    let permits = this.#pools.get(pool);
    permits?.sweep(now);
    if ((permits?.size ?? 0) >= most) return undefined;
    if (permits === undefined) this.#pools.set(pool, (permits = new Expiring()));
    const permit = randomUUID();
    permits.set(permit, true, now + lease);
    return permit;
  }

  extendPermit(pool: string, permit: string, lease: number): boolean {
    const now = this.#clock.elapsed();
    const permits = this.#pools.get(pool);
    if (permits?.get(permit, now) === undefined) return false;
    permits.set(permit, true, now + lease);
    return true;
  }

  returnPermit(pool: string, permit: string): boolean {
    const permits = this.#pools.get(pool);
    const held = permits?.get(permit, this.#clock.elapsed()) !== undefined;
    permits?.delete(permit);
    if (permits?.size === 0) this.#pools.delete(pool);
    return held;
  }

  permitsTaken(pool: string): number {
    return this.#pools.get(pool)?.count(this.#clock.elapsed()) ?? 0;
  }

  sequence(key: string): bigint | undefined {
    return this.#sequences.get(key, this.#clock.elapsed());
  }

  raiseSequence(key: string, value: bigint, ttl: number | undefined): boolean {
    const now = this.#clock.elapsed();
    const kept = this.#sequences.get(key, now);
    if (kept !== undefined && kept >= value) return false;
    this.#sequences.set(key, value, now + (ttl ?? Number.POSITIVE_INFINITY));
    return true;
  }

  signal(key: string, ttl: number): void {
    this.#signals.set(key, true, this.#clock.elapsed() + ttl);
    for (const wake of [...(this.#waiters.get(key) ?? [])]) wake();
  }

  signalled(key: string): boolean {
    return this.#signals.get(key, this.#clock.elapsed()) !== undefined;
  }

  onSignal(key: string, wake: () => void): () => void {
    // Each call is a registration of its own, also when the same function is registered again.
    const own = () => wake();
    let waiters = this.#waiters.get(key);
    if (waiters === undefined) this.#waiters.set(key, (waiters = new Set()));
    waiters.add(own);
    return () => {
      waiters.delete(own);
      if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
    };
  }

  /** Microseconds since 1970, or one more than the last: higher than every token of an earlier process too. */
  #nextToken(): bigint {
    const now = BigInt(Math.trunc(this.#clock.now())) * 1000n;
    this.#lastToken = now > this.#lastToken ? now : this.#lastToken + 1n;
    return this.#lastToken;
  }

  async #sweepAgainAndAgain(signal: AbortSignal): Promise<void> {
    let sequencesAt = this.#clock.elapsed();
    while (!signal.aborted) {
      await this.#clock.sleep(sweepEvery, signal).catch(() => undefined);
      if (signal.aborted) return;
      const now = this.#clock.elapsed();
      this.#locks.sweep(now);
      this.#signals.sweep(now);
      this.#sweepPools(now);
      if (now - sequencesAt < sweepSequencesEvery) continue;
      sequencesAt = now;
      this.#sequences.sweep(now);
    }
  }

  #sweepPools(now: number): void {
    for (const [pool, permits] of this.#pools) {
      permits.sweep(now);
      if (permits.size === 0) this.#pools.delete(pool);
    }
  }
}
