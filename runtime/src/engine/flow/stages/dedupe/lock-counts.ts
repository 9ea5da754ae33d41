import type { Metrics } from '../../../../foundation/observe/metrics.ts';

const purpose = 'dedupe';

/** Counts the keys that messages of one flow reserve. */
export class LockCounts {
  readonly #acquired;
  readonly #released;
  readonly #timeouts;
  readonly #wait;
  readonly #held;

  constructor(families: Metrics['families'], flow: string) {
    this.#acquired = families.lockAcquired.of(flow, purpose);
    this.#released = families.lockReleased.of(flow, purpose);
    this.#timeouts = families.lockTimeout.of(flow, purpose);
    this.#wait = families.lockWait.of(flow, purpose);
    this.#held = families.lockHeld.of(flow, purpose);
  }

  /** `waited` in milliseconds. */
  acquired(waited: number): void {
    this.#acquired.value++;
    this.#held.value++;
    this.#wait.observe(waited / 1000);
  }

  released(): void {
    this.#released.value++;
    this.#held.value--;
  }

  timedOut(): void {
    this.#timeouts.value++;
  }
}
