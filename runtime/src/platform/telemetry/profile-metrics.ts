import type { Metrics } from '../../foundation/observe/metrics.ts';

/** Counts what the profiles of a connector do. Names come from the configuration, errors are failure codes. */
export class ProfileMetrics {
  readonly #metrics: Metrics;
  readonly #active = new Map<string, string>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Another profile than before is selected. */
  selected(connector: string, profile: string): void {
    const { profileActive } = this.#metrics.families;
    const before = this.#active.get(connector);
    if (before !== undefined) profileActive.of(connector, before).value = 0;
    profileActive.of(connector, profile).value = 1;
    this.#active.set(connector, profile);
  }

  /** `error` is the code of the failure, undefined when it went well. */
  requested(connector: string, profile: string, error: string | undefined, seconds: number): void {
    const { profileRequests, profileErrors, profileLatency } = this.#metrics.families;
    profileRequests.of(connector, profile).value++;
    profileLatency.of(connector, profile).observe(seconds);
    if (error !== undefined) profileErrors.of(connector, profile, error).value++;
  }

  fellBack(connector: string, from: string, to: string): void {
    this.#metrics.families.profileFallbacks.of(connector, from, to).value++;
  }
}
