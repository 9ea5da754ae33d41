/** Counts what is under way. */
export class UnderWay {
  #count = 0;
  #idle: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#count++;
    try {
      return await act();
    } finally {
      if (--this.#count === 0) for (const tell of this.#idle.splice(0)) tell();
    }
  }

  /** Resolves when nothing is. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
