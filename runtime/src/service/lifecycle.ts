/** The life of a service. It only ever moves to the right, `starting` may also end in `stopped`. */
export const phases = ['starting', 'running', 'stopping', 'draining', 'drained', 'stopped'] as const;

export type Phase = (typeof phases)[number];

/** Where a service stands in its life, and who wants to know. */
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

  /** Moves on; a phase that was passed already is left alone. */
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
