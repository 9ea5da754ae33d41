import type { SignatureType } from '../signature.ts';
import { type CelType, dyn, string } from '../types.ts';

const numbers: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

export function isNumber(type: CelType): boolean {
  return numbers.has(type.kind);
}

/** Whether a value of type `given` may be used where `wanted` is expected. What is only known at run time may. */
export function assignable(given: CelType, wanted: CelType): boolean {
  if (given.kind === 'dyn' || wanted.kind === 'dyn') return true;
  if (isNumber(given) && isNumber(wanted)) return true;
  if (isMapLike(given) && isMapLike(wanted)) {
    if (given.kind !== 'map' || wanted.kind !== 'map') return true;
    return assignable(given.key, wanted.key) && assignable(given.value, wanted.value);
  }
  if (given.kind !== wanted.kind) return false;
  if (given.kind === 'list' || given.kind === 'optional')
    return assignable(given.element, (wanted as typeof given).element);
  return true;
}

/** The type of a value that is one or the other. */
export function join(one: CelType, other: CelType): CelType {
  return same(one, other) ? one : dyn;
}

export function same(one: CelType, other: CelType): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind) return false;
  if (one.kind === 'list' || one.kind === 'optional') return same(one.element, (other as typeof one).element);
  if (one.kind === 'map') {
    const map = other as typeof one;
    return same(one.key, map.key) && same(one.value, map.value);
  }
  return one.kind !== 'struct';
}

export function isMapLike(type: CelType): boolean {
  return type.kind === 'map' || type.kind === 'struct';
}

/** The type as people write it: `list(string)`. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case 'list':
    case 'optional':
      return `${type.kind}(${typeName(type.element)})`;
    case 'map':
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case 'struct':
      return 'map';
    default:
      return type.kind;
  }
}

/** The types that the type parameters of a signature are bound to in one call. */
export type Bindings = Map<string, CelType>;

/** Whether an argument fits a parameter; binds the type parameters on the way. */
export function fits(given: CelType, wanted: SignatureType, bindings: Bindings): boolean {
  if (wanted.kind === 'parameter') {
    const bound = bindings.get(wanted.name);
    bindings.set(wanted.name, bound ? join(bound, given) : given);
    return true;
  }
  if (given.kind === 'dyn' || wanted.kind === 'dyn') return true;
  if (wanted.kind === 'map') {
    if (given.kind === 'struct') return fits(string, wanted.key, bindings);
    return given.kind === 'map' && fits(given.key, wanted.key, bindings) && fits(given.value, wanted.value, bindings);
  }
  if (given.kind === 'double' && wanted.kind === 'int') return true;
  if (given.kind !== wanted.kind) return false;
  if (wanted.kind !== 'list' && wanted.kind !== 'optional') return true;
  return fits((given as { element: CelType }).element, wanted.element, bindings);
}

/** A type of a signature with its type parameters replaced; those that nothing bound are dyn. */
export function substitute(type: SignatureType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'parameter':
      return bindings.get(type.name) ?? dyn;
    case 'list':
    case 'optional':
      return { kind: type.kind, element: substitute(type.element, bindings) };
    case 'map':
      return { kind: 'map', key: substitute(type.key, bindings), value: substitute(type.value, bindings) };
    default:
      return type;
  }
}
