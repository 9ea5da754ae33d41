/** A value that changes, and those who want to know. Plain: it knows no view. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces the value; an equal one (Object.is) notifies no listener. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listen of [...this.#listeners]) listen();
  }

  /** Replaces some members of an object. */
  patch(part: Partial<T>): void {
    this.set({ ...this.#value, ...part });
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  /** Listens until the returned function is called. */
  subscribe = (listen: () => void): (() => void) => {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  };
}
