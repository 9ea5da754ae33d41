import { equal } from '../values/equality.ts';
import { numeric } from '../values/kind.ts';

/** A set of values under the equality of the language: constant time for texts, bools, null and numbers. */
export class DistinctValues {
  readonly #scalars = new Set<unknown>();
  readonly #others: unknown[] = [];

  /** Whether the value was new. */
  add(value: unknown): boolean {
    if (this.has(value)) return false;
    const key = scalarKey(value);
    if (key === undefined) this.#others.push(value);
    else this.#scalars.add(key);
    return true;
  }

  has(value: unknown): boolean {
    const key = scalarKey(value);
    return key === undefined ? this.#others.some((other) => equal(other, value)) : this.#scalars.has(key);
  }
}

/** Equal scalars have the same key: whole numbers become bigints. NaN equals nothing and has none. */
function scalarKey(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  const number = numeric(value);
  if (typeof number !== 'number') return number;
  return Number.isInteger(number) ? BigInt(number) : Number.isNaN(number) ? undefined : number;
}
