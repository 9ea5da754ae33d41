import type { Clock } from '../../../foundation/observe/clock.ts';

/** The pause of a whole source. */
export class Rest {
  readonly #clock: Pick<Clock, 'sleep'>;
  #ending: AbortController | undefined;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#ending !== undefined;
  }

  /** `over` is called after these milliseconds, or when it is ended before. */
  begin(milliseconds: number, over: () => void): void {
    const ending = new AbortController();
    this.#ending = ending;
    void this.#clock
      .sleep(milliseconds, ending.signal)
      .catch(() => undefined)
      .then(() => {
        this.#ending = undefined;
        over();
      });
  }

  end(): void {
    this.#ending?.abort();
  }
}
