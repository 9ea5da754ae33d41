import { Heap } from './heap.ts';
import type { Tracked } from './tracked.ts';

/** Files that wait to be delivered: the one that was changed first is the next, those that failed wait for their pauses. */
export class WaitingFiles {
  readonly #ready = new Heap<Tracked>(isBefore);
  readonly #later = new Heap<Tracked>((a, b) => a.notBefore < b.notBefore);

  /** A file whose state has become `waiting`. */
  add(file: Tracked, now: number): void {
    (file.notBefore > now ? this.#later : this.#ready).push(file);
  }

  /** Takes the next one away; undefined when none is due. */
  next(now: number): Tracked | undefined {
    for (let due = this.#later.first; due !== undefined && due.notBefore <= now; due = this.#later.first) {
      this.#later.pop();
      this.#ready.push(due);
    }
    for (let file = this.#ready.pop(); file !== undefined; file = this.#ready.pop())
      if (file.state === 'waiting') return file;
    return undefined;
  }

  /** Monotonic milliseconds at which the next one is due that waits for a pause; undefined when none does. */
  get due(): number | undefined {
    return this.#later.first?.notBefore;
  }

  /** Forgets versions that others have replaced, where they are more than half of so many. */
  shrink(files: number): void {
    for (const heap of [this.#ready, this.#later])
      if (heap.size > 2 * files + 1000) heap.keep(({ state }) => state === 'waiting');
  }
}

function isBefore(a: Tracked, b: Tracked): boolean {
  const [first, second] = [a.entry.modified ?? 0, b.entry.modified ?? 0];
  return first === second ? a.entry.path < b.entry.path : first < second;
}
