import type { ForcedValue } from '@svc/protocol/wire';
import { askedLimits, type Secrecy } from './snapshot.ts';

/** Values that one thread may have forced. */
export const mostForced = 200;

interface Forced extends ForcedValue {
  /** The value as it was shown when it was forced. */
  readonly shown: string;
}

/** What clients changed in a thread, as long as it is there. */
export class ForcedValues {
  readonly #byPath = new Map<string, Forced>();

  /** Whether one more place can be noted. */
  accepts(path: readonly string[]): boolean {
    return this.#byPath.size < mostForced || this.#byPath.has(JSON.stringify(path));
  }

  /** Notes a change; of several at one place, `was` is the value before the first. */
  note(path: readonly string[], was: unknown, now: unknown, secrecy: Secrecy): void {
    const key = JSON.stringify(path);
    const first = this.#byPath.get(key);
    this.#byPath.set(key, { path, was: first === undefined ? was : first.was, shown: textOf(now, secrecy) });
  }

  /** Those that the flow has not replaced since. `valueAt` gives the value at a path, undefined for nothing. */
  list(valueAt: (path: readonly string[]) => unknown, secrecy: Secrecy): readonly ForcedValue[] {
    return [...this.#byPath.values()]
      .filter(({ path, shown }) => textOf(valueAt(path), secrecy) === shown)
      .map(({ path, was }) => ({ path, was }));
  }
}

function textOf(value: unknown, secrecy: Secrecy): string {
  return JSON.stringify(secrecy.show(value, askedLimits)) ?? '';
}
