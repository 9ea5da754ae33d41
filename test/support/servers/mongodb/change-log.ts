import { Timestamp } from 'mongodb';
import { CommandError } from './command-error.ts';
import type { Fields } from './wire.ts';

/** One change of a document, as change streams tell it. */
export interface Change extends Fields {
  readonly _id: { readonly _data: string };
  readonly ns: { readonly db: string; readonly coll: string };
}

type Reported = Pick<Change, 'ns'> & Fields;

/** All changes in their order, and who waits for the next one. */
export class ChangeLog {
  readonly #changes: Change[] = [];
  readonly #waiting = new Set<() => void>();
  #count = 0;

  add(change: Reported): void {
    this.#count++;
    const at = new Date();
    const clusterTime = new Timestamp({ t: Math.floor(at.getTime() / 1000), i: this.#count });
    this.#changes.push({ ...change, _id: { _data: this.token }, clusterTime, wallTime: at });
    for (const wake of this.#waiting) wake();
  }

  get all(): readonly Change[] {
    return this.#changes;
  }

  /** The token of the position after the last change; tokens sort as their changes. */
  get token(): string {
    return String(this.#count).padStart(16, '0');
  }

  /** The changes after a token that the log has. */
  after(token: string): readonly Change[] {
    const position = Number(token);
    if (!Number.isInteger(position) || position > this.#count)
      throw new CommandError(286, 'ChangeStreamHistoryLost', 'the resume token is not in the oplog');
    return this.#changes.slice(position);
  }

  /** Resolves with the next change, after `milliseconds`, or when the signal fires. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }
}
