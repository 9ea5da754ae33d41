import type { Token } from './cursor.ts';

interface Entry {
  readonly token: Token;
  isDone: boolean;
}

/** How far the changes of a collection are settled, as it is kept. */
export interface Position {
  /** Everything up to here is settled. */
  readonly token: Token;
  /** Changes behind it that are settled too. */
  readonly done: readonly string[];
}

/** Which changes are settled, where several are under way and end in any order. */
export class Progress {
  /** Read and not passed yet, in their order. */
  readonly #entries = new Map<string, Entry>();
  /** Those that an earlier process has settled. */
  readonly #before: Set<string>;
  #token: Token;

  constructor({ token, done }: Position) {
    this.#token = token;
    this.#before = new Set(done);
  }

  /** Changes that are read and not passed. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes a change in; false when it was settled before. */
  begin(token: Token): boolean {
    const isDone = this.#before.delete(token._data);
    this.#entries.set(token._data, { token, isDone });
    if (isDone) this.#pass();
    return !isDone;
  }

  settled(token: Token): void {
    const entry = this.#entries.get(token._data);
    if (entry === undefined) return;
    entry.isDone = true;
    this.#pass();
  }

  /** Nothing is under way, and the stream has come to this position. */
  idle(token: Token | undefined): void {
    if (this.#entries.size === 0 && token !== undefined) this.#token = token;
  }

  get position(): Position {
    const done = [...this.#entries.values()].filter(({ isDone }) => isDone).map(({ token }) => token._data);
    return { token: this.#token, done: [...done, ...this.#before] };
  }

  #pass(): void {
    for (const [key, { token, isDone }] of this.#entries) {
      if (!isDone) return;
      this.#token = token;
      this.#entries.delete(key);
    }
  }
}
