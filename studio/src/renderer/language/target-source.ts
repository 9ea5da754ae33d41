/** Milliseconds for which what was said is taken to be so: a service answers the same for as long. */
const keptFor = 5_000;
/** Milliseconds for which names are waited for before others are offered. */
const waitedFor = 250;

/** Who says what the servers of connectors have; it is asked again when names are to be offered. */
export class TargetSource {
  #say: (() => Promise<unknown>) | undefined;
  #said = 0;
  #saying: Promise<void> | undefined;

  /** `say` resolves when everything was said again, which it just was; undefined: it cannot be asked any more. */
  use(say: (() => Promise<unknown>) | undefined): void {
    this.#say = say;
    this.#ended();
  }

  /** Resolves when it was said a moment ago, or when that takes too long. Never rejects. */
  async recent(): Promise<void> {
    if (this.#say === undefined) return;
    if (this.#saying === undefined) {
      if (performance.now() - this.#said < keptFor) return;
      const saying = this.#say()
        .catch(() => undefined)
        .then(() => {
          if (this.#saying === saying) this.#ended();
        });
      this.#saying = saying;
    }
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitedFor);
    await Promise.race([this.#saying, late]);
    clearTimeout(timer);
  }

  #ended(): void {
    this.#said = performance.now();
    this.#saying = undefined;
  }
}
