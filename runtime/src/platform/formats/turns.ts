import { setImmediate } from 'node:timers/promises';

/** Values that are written in some milliseconds, at once. */
export const fewValues = 10_000;

/** Values that are written between two turns of the event loop. */
export const valuesOfTurn = 2_000;

/** Whether there are more values in a value than are written at once, however deep they are. */
export function isLarge(value: unknown): boolean {
  const left: unknown[] = [value];
  for (let values = 0; left.length > 0; values++) {
    if (values + left.length > fewValues) return true;
    const each = left.pop();
    if (typeof each !== 'object' || each === null || each instanceof Uint8Array) continue;
    for (const item of Array.isArray(each) ? each : Object.values(each)) {
      if (left.length > fewValues) return true;
      left.push(item);
    }
  }
  return false;
}

/** Gives other work on the event loop its turn whenever enough values were written since the last one. */
export class Turns {
  #values = 0;

  /** Undefined where it is not time for a turn yet: waiting costs a promise. */
  after(values: number): Promise<void> | undefined {
    this.#values += values;
    if (this.#values < valuesOfTurn) return undefined;
    this.#values = 0;
    return setImmediate();
  }
}
