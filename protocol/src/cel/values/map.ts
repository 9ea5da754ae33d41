import { CelError } from '../engine.ts';
import { spend } from './meter.ts';
import { CelUint } from './uint.ts';

/**
 * A map whose keys are all texts, as expressions build it. It has no inherited property: its prototype is an empty,
 * frozen object without one of its own, which the engine makes ten times as fast as `Object.create(null)`.
 */
export const Fields = function Fields() {} as unknown as new () => Record<string, unknown>;
Fields.prototype = Object.freeze(Object.create(null));

/** A map with keys that are not texts. Ints are bigints; which of them were written as uint is remembered. */
export class KeyedMap extends Map<string | boolean | bigint, unknown> {
  readonly unsigned: Set<bigint> = new Set();
}

const hasOwn = Object.prototype.hasOwnProperty;

/** The value of a key, undefined when absent. Only own properties of objects are read. */
export function lookup(map: object, key: unknown): unknown {
  if (map instanceof Map) return map.get(map instanceof KeyedMap ? normalKey(key) : hostKey(map, key));
  return typeof key === 'string' && hasOwn.call(map, key) ? (map as Record<string, unknown>)[key] : undefined;
}

/** The keys as expressions see them, those with an absent value left out. */
export function keysOf(map: object): unknown[] {
  const keys: unknown[] = [];
  if (map instanceof Map) {
    const unsigned = map instanceof KeyedMap ? map.unsigned : undefined;
    for (const [key, value] of map)
      if (value !== undefined) keys.push(unsigned?.has(key as bigint) ? new CelUint(key as bigint) : key);
    return keys;
  }
  for (const key of Object.keys(map)) if ((map as Record<string, unknown>)[key] !== undefined) keys.push(key);
  return keys;
}

/** The keys of a map that is walked through, whose number is spent. */
export function spentKeys(map: object): unknown[] {
  const keys = keysOf(map);
  spend(keys.length);
  return keys;
}

export function sizeOf(map: object): number {
  return spentKeys(map).length;
}

/** Whether a value may be a key: text, bool, int, uint, or a double that is a whole number. */
export function isKey(key: unknown): boolean {
  return (
    typeof key === 'string' ||
    typeof key === 'boolean' ||
    typeof key === 'bigint' ||
    typeof key === 'number' ||
    key instanceof CelUint
  );
}

/** Collects entries into a map. Throws CelError on a key of a wrong type. */
export class MapBuilder {
  #fields: Record<string, unknown> | undefined = new Fields();
  #keyed: KeyedMap | undefined;

  /** Whether the key was new. */
  add(key: unknown, value: unknown): boolean {
    if (typeof key === 'string' && this.#fields) {
      if (hasOwn.call(this.#fields, key)) return false;
      this.#fields[key] = value;
      return true;
    }
    const normal = normalKey(key);
    if (normal === undefined || typeof key === 'number')
      throw new CelError('no-such-overload', 'a key of a map is a text, a bool or an int');
    const keyed = this.#toKeyed();
    if (keyed.has(normal)) return false;
    keyed.set(normal, value);
    if (key instanceof CelUint) keyed.unsigned.add(key.value);
    return true;
  }

  build(): object {
    return this.#keyed ?? (this.#fields as object);
  }

  #toKeyed(): KeyedMap {
    if (this.#keyed) return this.#keyed;
    this.#keyed = new KeyedMap(Object.entries(this.#fields as object));
    this.#fields = undefined;
    return this.#keyed;
  }
}

function normalKey(key: unknown): string | boolean | bigint | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint') return key;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : undefined;
  return key instanceof CelUint ? key.value : undefined;
}

/** Maps of the host may have numbers as keys. */
function hostKey(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const normal = normalKey(key);
  return typeof normal === 'bigint' && !map.has(normal) ? Number(normal) : normal;
}
