/** What is read, and can be paused. */
export interface Readable {
  pause(): void;
  resume(): void;
}

/** What waits until there is room again. */
export interface Held {
  relieve(): void;
}

/** What one waiting message costs beside its bytes. */
const overhead = 256;

/** Bytes of messages that wait for their turn, all clients together: beyond the limit nothing more is read. */
export class Backlog {
  readonly #limit: number;
  readonly #full = new Set<Held>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limit;
  }

  took(bytes: number): void {
    this.#bytes += bytes + overhead;
  }

  gave(bytes: number): void {
    this.#bytes -= bytes + overhead;
    if (this.isFull || this.#full.size === 0) return;
    const waiting = [...this.#full];
    this.#full.clear();
    for (const held of waiting) held.relieve();
  }

  /** Calls `relieve` of it when the limit holds again. */
  await(held: Held): void {
    this.#full.add(held);
  }
}
