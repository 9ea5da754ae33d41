import { CelError } from '../engine.ts';
import type { CelDuration } from '../values/duration.ts';
import { kindOf } from '../values/kind.ts';
import { sizeOf } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { nanosecondsOf } from '../values/ordering.ts';
import type { CelUint } from '../values/uint.ts';
import { expected, listOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';

/** The public optional extension; `or`, `orValue`, `optMap` and `optFlatMap` are macros, for they do not always evaluate their argument. */
export const optionals: readonly FunctionDefinition[] = [
  {
    name: 'optional.of',
    group: 'optionals',
    signatures: ['optional.of(value: A) -> optional(A)'],
    doc: 'An optional that holds the value.',
    example: 'optional.of(1).hasValue()',
    call: (value) => CelOptional.of(value),
  },
  {
    name: 'optional.none',
    group: 'optionals',
    signatures: ['optional.none() -> optional(A)'],
    doc: 'The empty optional.',
    example: '!optional.none().hasValue()',
    call: () => CelOptional.none,
  },
  {
    name: 'optional.ofNonZeroValue',
    group: 'optionals',
    signatures: ['optional.ofNonZeroValue(value: A) -> optional(A)'],
    doc: 'An optional that holds the value, empty for null, false, 0, an empty text, list, map or duration.',
    example: "!optional.ofNonZeroValue('').hasValue()",
    call: (value) => (isZero(value) ? CelOptional.none : CelOptional.of(value)),
  },
  {
    name: 'hasValue',
    group: 'optionals',
    signatures: ['optional(A).hasValue() -> bool'],
    doc: 'Whether the optional holds a value.',
    example: "!{'a': 1}.?b.hasValue()",
    method: (optional) => optionalOf(optional).present,
  },
  {
    name: 'value',
    group: 'optionals',
    signatures: ['optional(A).value() -> A'],
    doc: 'The value of the optional; an error when it is empty.',
    example: "{'a': 1}.?a.value() == 1",
    method: (optional) => {
      const { present, value } = optionalOf(optional);
      if (!present) throw new CelError('invalid-argument', 'the optional is empty');
      return value;
    },
  },
  {
    name: 'optional.unwrap',
    group: 'optionals',
    signatures: ['optional.unwrap(list: list(optional(A))) -> list(A)'],
    doc: 'The values of the optionals of a list that hold one.',
    example: 'optional.unwrap([optional.of(1), optional.none()]) == [1]',
    call: unwrap,
  },
  {
    name: 'unwrapOpt',
    group: 'optionals',
    signatures: ['list(optional(A)).unwrapOpt() -> list(A)'],
    doc: 'The values of the optionals of a list that hold one.',
    example: '[optional.of(1), optional.none()].unwrapOpt() == [1]',
    method: unwrap,
  },
];

export function optionalOf(value: unknown): CelOptional {
  return value instanceof CelOptional ? value : expected('an optional', value);
}

function unwrap(list: unknown): unknown[] {
  return listOf(list)
    .map(optionalOf)
    .filter(({ present }) => present)
    .map(({ value }) => value);
}

function isZero(value: unknown): boolean {
  switch (kindOf(value)) {
    case 'null_type':
      return true;
    case 'bool':
      return value === false;
    case 'int':
      return value === 0n;
    case 'uint':
      return (value as CelUint).value === 0n;
    case 'double':
      return value === 0;
    case 'string':
    case 'list':
    case 'bytes':
      return (value as ArrayLike<unknown>).length === 0;
    case 'map':
      return sizeOf(value as object) === 0;
    case 'duration':
      return (value as CelDuration).nanoseconds === 0n;
    case 'timestamp':
      return nanosecondsOf(value) === 0n;
    default:
      return false;
  }
}
