/** Counts what is under way, so that a close waits for it. */
export class UnderWay {
  #count = 0;
  #idle: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Counts the work until it has ended. */
  watch<T>(work: Promise<T>): Promise<T> {
    this.begin();
    const end = () => this.end();
    work.then(end, end);
    return work;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
