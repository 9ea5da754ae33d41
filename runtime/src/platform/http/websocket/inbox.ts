import type { Backlog, Held, Readable } from '../../net/backlog.ts';

/** Something that happened at a client; frames have bytes. */
export interface Happening {
  readonly kind: 'connect' | 'frame' | 'disconnect';
  readonly bytes: Buffer;
  /** It came as bytes, not as a text. */
  readonly isBinary?: boolean | undefined;
}

/**
 * What happened at one client and was not handled yet, in order and one at a time. Its connection is not read while too
 * much waits.
 */
export class Inbox implements Held {
  readonly #most: number;
  readonly #backlog: Backlog;
  readonly #source: Readable;
  readonly #handle: (happening: Happening) => Promise<void> | undefined;
  readonly #waiting: Happening[] = [];
  #isBusy = false;
  #isPaused = false;

  /** `handle` never throws and never rejects. */
  constructor(
    most: number,
    backlog: Backlog,
    source: Readable,
    handle: (happening: Happening) => Promise<void> | undefined,
  ) {
    this.#most = most;
    this.#backlog = backlog;
    this.#source = source;
    this.#handle = handle;
  }

  get length(): number {
    return this.#waiting.length;
  }

  push(happening: Happening): void {
    this.#backlog.took(happening.bytes.length);
    this.#waiting.push(happening);
    if (!this.#isBusy) this.#run();
    if (!this.#isPaused && (this.#waiting.length >= this.#most || this.#backlog.isFull)) {
      this.#isPaused = true;
      this.#source.pause();
      if (this.#backlog.isFull) this.#backlog.await(this);
    }
  }

  /** Reads on, unless too much waits still. */
  relieve(): void {
    if (!this.#isPaused || this.#waiting.length > this.#most >> 1) return;
    if (this.#backlog.isFull) {
      this.#backlog.await(this);
      return;
    }
    this.#isPaused = false;
    this.#source.resume();
  }

  #run(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { length } = next.bytes;
      const handled = this.#handle(next);
      if (handled !== undefined) {
        this.#isBusy = true;
        void handled.then(() => {
          this.#isBusy = false;
          this.#handled(length);
          this.#run();
        });
        return;
      }
      this.#handled(length);
    }
  }

  #handled(bytes: number): void {
    this.#backlog.gave(bytes);
    this.relieve();
  }
}
