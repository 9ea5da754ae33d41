import type { Log } from '../../../foundation/observe/log.ts';

/** Work of a generation that no caller waits for, such as jobs; a generation ends after it. */
export class BackgroundWork {
  readonly #log: Log;
  readonly #underWay = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** Begins the work at once. A failure that the work did not handle is logged. */
  readonly run = (name: string, work: () => Promise<unknown>): void => {
    const done = work().then(
      () => undefined,
      (error: unknown) => this.#log.error('background work failed', { work: name, error }),
    );
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
  };

  /** Resolves when no work is in progress, including work that began meanwhile. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
