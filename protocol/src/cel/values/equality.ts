import { DistinctValues } from './distinct.ts';
import type { CelDuration } from './duration.ts';
import { isMap, kindOf, numeric } from './kind.ts';
import { lookup, spentKeys } from './map.ts';
import { type KnownValues, meter, spend } from './meter.ts';
import type { CelOptional } from './optional.ts';
import { nanosecondsOf } from './ordering.ts';
import type { CelTypeValue } from './type-value.ts';

/** Whether two values are equal: numbers across types by value, lists and maps by their content; other types never. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const leftNumber = numeric(left);
  if (leftNumber !== undefined) {
    const rightNumber = numeric(right);
    // biome-ignore lint/suspicious/noDoubleEquals: compares a bigint and a number by value
    return rightNumber !== undefined && leftNumber == rightNumber;
  }
  if (left === null || left === undefined) return right === null || right === undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && equalLists(left, right);
  if (isMap(left)) return isMap(right) && equalMaps(left, right);
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return false;
  switch (kind) {
    case 'bytes':
      return equalLists(left as Uint8Array, right as Uint8Array);
    case 'timestamp':
      return nanosecondsOf(left) === nanosecondsOf(right);
    case 'duration':
      return (left as CelDuration).nanoseconds === (right as CelDuration).nanoseconds;
    case 'type':
      return (left as CelTypeValue).name === (right as CelTypeValue).name;
    case 'optional': {
      const [one, two] = [left as CelOptional, right as CelOptional];
      return one.present === two.present && (!one.present || equal(one.value, two.value));
    }
    default:
      return false;
  }
}

function equalLists(left: ArrayLike<unknown>, right: ArrayLike<unknown>): boolean {
  if (left.length !== right.length) return false;
  spend(left.length);
  for (let at = 0; at < left.length; at++) if (!equal(left[at], right[at])) return false;
  return true;
}

function equalMaps(left: object, right: object): boolean {
  const keys = spentKeys(left);
  if (keys.length !== spentKeys(right).length) return false;
  for (const key of keys) {
    const other = lookup(right, key);
    if (other === undefined || !equal(lookup(left, key), other)) return false;
  }
  return true;
}

/** Whether a list holds a value equal to `value`. */
export function includes(list: readonly unknown[], value: unknown): boolean {
  if (list.length > shortList) {
    const known = membershipOf(list);
    if (known) return known.has(value ?? null);
    spend(list.length);
  }
  if (typeof value === 'string') return list.includes(value);
  for (let at = 0; at < list.length; at++) if (equal(list[at], value)) return true;
  return false;
}

/** Lists of so many elements are searched as quickly as a hash is computed. */
const shortList = 8;

/** The values of a list by hash, from the second time on that an evaluation asks for the same list. */
function membershipOf(list: readonly unknown[]): KnownValues | undefined {
  meter.memberships ??= new WeakMap();
  const known = meter.memberships.get(list);
  if (known) return known;
  if (known === undefined) {
    meter.memberships.set(list, null);
    return undefined;
  }
  spend(list.length);
  const values = new DistinctValues();
  for (const value of list) values.add(value ?? null);
  meter.memberships.set(list, values);
  return values;
}
