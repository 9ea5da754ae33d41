/** The lifecycle of a service. It only moves to the right; `starting` may also end in `stopped`. */
export const phases = ['starting', 'running', 'stopping', 'draining', 'drained', 'stopped'] as const;

export type Phase = (typeof phases)[number];

/** The phase of a service in its lifecycle, and its listeners. */
export class Lifecycle {
  #phase: Phase = 'starting';
  readonly #listeners = new Set<(phase: Phase) => void>();

  get phase(): Phase {
    return this.#phase;
  }

  /** Whether shutting down has begun. */
  get ending(): boolean {
    return phases.indexOf(this.#phase) > phases.indexOf('running');
  }

  /** Advances to a phase; a phase that was already passed is ignored. */
  enter(phase: Phase): void {
    if (phases.indexOf(phase) <= phases.indexOf(this.#phase)) return;
    this.#phase = phase;
    for (const listener of this.#listeners) listener(phase);
  }

  /** Calls `listener` with every later phase, until the returned function is called. */
  onChange(listener: (phase: Phase) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
