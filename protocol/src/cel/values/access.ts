import { CelError } from '../engine.ts';
import { includes } from './equality.ts';
import { noOperator, noOverload } from './failure.ts';
import { isMap, kindOf, numeric, withArticle } from './kind.ts';
import { isKey, lookup } from './map.ts';
import { CelOptional } from './optional.ts';

/** `operand.field`. Throws CelError `no-such-key`, or `no-such-field` when the operand is not a map. */
export function select(operand: unknown, field: string): unknown {
  if (isMap(operand)) {
    const value = lookup(operand, field);
    if (value === undefined) throw new CelError('no-such-key', `no such key: ${field}`);
    return value;
  }
  if (operand instanceof CelOptional) return optionalAt(operand, field);
  throw new CelError('no-such-field', `${withArticle(kindOf(operand))} has no field ${field}`);
}

/** `operand[key]`. Throws CelError when there is no such element. */
export function elementAt(operand: unknown, key: unknown): unknown {
  if (Array.isArray(operand)) {
    const at = numeric(key);
    if (at === undefined) noOverload('list[index]', operand, key);
    const position = Number(at);
    if (!Number.isInteger(position)) throw new CelError('invalid-argument', `${position} is not a position`);
    if (position < 0 || position >= operand.length)
      throw new CelError('out-of-range', `index ${position} is outside a list of ${operand.length}`);
    return operand[position] ?? null;
  }
  if (isMap(operand)) {
    if (!isKey(key)) noOverload('map[key]', operand, key);
    const value = lookup(operand, key);
    if (value === undefined) throw new CelError('no-such-key', `no such key: ${String(key)}`);
    return value;
  }
  if (operand instanceof CelOptional) return optionalAt(operand, key);
  return noOverload('[]', operand, key);
}

/** `operand.?field` and `operand[?key]`: an optional, empty where the other forms fail for want of a key. */
export function optionalAt(operand: unknown, key: unknown): CelOptional {
  if (operand instanceof CelOptional) return operand.present ? optionalAt(operand.value, key) : CelOptional.none;
  if (isMap(operand)) return optional(lookup(operand, key));
  const at = numeric(key);
  if (Array.isArray(operand) && at !== undefined) return optional(operand[Number(at)]);
  return noOverload('[?]', operand, key);
}

/** `has(operand.field)`. */
export function has(operand: unknown, field: string): boolean {
  if (operand instanceof CelOptional) return operand.present && has(operand.value, field);
  if (isMap(operand)) return lookup(operand, field) !== undefined;
  throw new CelError('no-such-field', `has() needs a map before .${field}, this is ${withArticle(kindOf(operand))}`);
}

/** `value in container`. */
export function contains(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return includes(container, value);
  if (!isMap(container)) return noOperator('in', value, container);
  if (!isKey(value)) return noOperator('in', value, container);
  return lookup(container, value) !== undefined;
}

/** One step of a path that tolerates absence: the value, or undefined when it is absent. Never throws. */
export function peek(operand: unknown, key: unknown): unknown {
  if (isMap(operand)) return lookup(operand, key);
  if (Array.isArray(operand)) {
    const at = numeric(key);
    return at === undefined ? undefined : operand[Number(at)];
  }
  if (operand instanceof CelOptional) return operand.present ? peek(operand.value, key) : undefined;
  return undefined;
}

/** Whether a value gives way to the right side of `??`: absent, null or `""`. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function optional(value: unknown): CelOptional {
  return value === undefined ? CelOptional.none : CelOptional.of(value);
}
