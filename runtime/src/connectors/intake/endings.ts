/** Ends of messages that no worker handles: of pauses in their slots, and of what is given back. */
export class Endings {
  readonly #waited = new Set<Promise<void>>();
  #allEnded: (() => void)[] = [];

  /** A stop waits for it. */
  add(end: Promise<void> | undefined): void {
    if (end === undefined) return;
    this.#waited.add(end);
    void end.then(() => this.#ended(end));
  }

  /** Nothing is waited for any more. */
  forget(): void {
    for (const end of this.#waited) this.#ended(end);
  }

  /** Resolves when all have ended. */
  async all(): Promise<void> {
    if (this.#waited.size > 0) await new Promise<void>((resolve) => this.#allEnded.push(resolve));
  }

  #ended(end: Promise<void>): void {
    this.#waited.delete(end);
    if (this.#waited.size === 0) for (const resolve of this.#allEnded.splice(0)) resolve();
  }
}
