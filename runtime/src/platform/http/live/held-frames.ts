interface Held<F> {
  readonly frame: F;
  readonly waitsForRelease: boolean;
}

/** The frames of one receiver that wait for their turn, and those that were sent behind them. */
export class HeldFrames<F> {
  readonly #write: (frame: F) => void;
  /** Made with the first frame: most receivers hold nothing at most times. */
  #held: Held<F>[] | undefined;

  constructor(write: (frame: F) => void) {
    this.#write = write;
  }

  send(frame: F): void {
    if (this.#held === undefined) this.#write(frame);
    else this.#held.push({ frame, waitsForRelease: false });
  }

  hold(frame: F): void {
    this.#held ??= [];
    this.#held.push({ frame, waitsForRelease: true });
  }

  release(): void {
    for (const { frame } of this.#next()) this.#write(frame);
  }

  skip(): void {
    for (const { frame } of this.#next().slice(1)) this.#write(frame);
  }

  /** Nothing is sent any longer. */
  clear(): void {
    this.#held = undefined;
  }

  /** The oldest one, with those that wait for it alone. */
  #next(): readonly Held<F>[] {
    const held = this.#held;
    if (held === undefined) return [];
    const next = held.findIndex(({ waitsForRelease }, at) => at > 0 && waitsForRelease);
    if (next >= 0) return held.splice(0, next);
    this.#held = undefined;
    return held;
  }
}
