import { CelError } from '../engine.ts';
import { negate } from '../values/arithmetic.ts';
import { noOverload } from '../values/failure.ts';
import { numeric } from '../values/kind.ts';
import { order } from '../values/ordering.ts';
import { CelUint } from '../values/uint.ts';
import { listOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';

/** The public math extension. */
export const math: readonly FunctionDefinition[] = [
  {
    name: 'math.greatest',
    group: 'math',
    signatures: ['math.greatest(first: dyn, ...more: dyn) -> dyn'],
    doc: 'The greatest of the numbers, given one by one or as a list.',
    example: 'math.greatest(1, 3, 2) == 3',
    call: extreme('math.greatest', 1),
  },
  {
    name: 'math.least',
    group: 'math',
    signatures: ['math.least(first: dyn, ...more: dyn) -> dyn'],
    doc: 'The least of the numbers, given one by one or as a list.',
    example: 'math.least([4, 2]) == 2',
    call: extreme('math.least', -1),
  },
  ofDouble('math.ceil', 'The next whole number upwards, as a double.', 'math.ceil(1.2) == 2.0', Math.ceil),
  ofDouble('math.floor', 'The next whole number downwards, as a double.', 'math.floor(1.8) == 1.0', Math.floor),
  ofDouble(
    'math.round',
    'The nearest whole number, halves away from zero, as a double.',
    'math.round(-2.5) == -3.0',
    round,
  ),
  ofDouble('math.trunc', 'The number without its fraction, as a double.', 'math.trunc(-1.8) == -1.0', Math.trunc),
  testOfDouble('math.isNaN', 'Whether the double is not a number.', "math.isNaN(double('NaN'))", Number.isNaN),
  testOfDouble(
    'math.isInf',
    'Whether the double is infinite.',
    'math.isInf(1.0 / 0.0)',
    (value) => Math.abs(value) === Number.POSITIVE_INFINITY,
  ),
  testOfDouble(
    'math.isFinite',
    'Whether the double is neither infinite nor NaN.',
    'math.isFinite(1.5)',
    Number.isFinite,
  ),
  {
    name: 'math.sqrt',
    group: 'math',
    signatures: ['math.sqrt(value: dyn) -> double'],
    doc: 'The square root, as a double; NaN of a negative number.',
    example: 'math.sqrt(9) == 3.0',
    call: (value) => Math.sqrt(Number(numeric(value) ?? noOverload('math.sqrt()', value))),
  },
  {
    name: 'math.abs',
    group: 'math',
    signatures: ['math.abs(value: A) -> A'],
    doc: 'The number without its sign.',
    example: 'math.abs(-3) == 3',
    call: (value) => {
      if (typeof value === 'number') return Math.abs(value);
      if (typeof value === 'bigint') return value < 0n ? negate(value) : value;
      return value instanceof CelUint ? value : noOverload('math.abs()', value);
    },
  },
  {
    name: 'math.sign',
    group: 'math',
    signatures: ['math.sign(value: A) -> A'],
    doc: '-1, 0 or 1 in the type of the number.',
    example: 'math.sign(-3) == -1',
    call: (value) => {
      if (typeof value === 'number') return Math.sign(value);
      if (typeof value === 'bigint') return value < 0n ? -1n : value > 0n ? 1n : 0n;
      return value instanceof CelUint ? new CelUint(value.value > 0n ? 1n : 0n) : noOverload('math.sign()', value);
    },
  },
  bitwise('math.bitAnd', 'The bits set in both numbers.', 'math.bitAnd(6, 3) == 2', (left, right) => left & right),
  bitwise('math.bitOr', 'The bits set in either number.', 'math.bitOr(6, 3) == 7', (left, right) => left | right),
  bitwise(
    'math.bitXor',
    'The bits set in one of the numbers only.',
    'math.bitXor(6, 3) == 5',
    (left, right) => left ^ right,
  ),
  {
    name: 'math.bitNot',
    group: 'math',
    signatures: ['math.bitNot(value: A) -> A'],
    doc: 'The number with every bit turned.',
    example: 'math.bitNot(0) == -1',
    call: (value) => {
      if (typeof value === 'bigint') return ~value;
      return value instanceof CelUint
        ? new CelUint(BigInt.asUintN(64, ~value.value))
        : noOverload('math.bitNot()', value);
    },
  },
  shift(
    'math.bitShiftLeft',
    'The bits moved to the left; zero beyond 63 places.',
    'math.bitShiftLeft(1, 3) == 8',
    (value, by) => value << by,
  ),
  shift(
    'math.bitShiftRight',
    'The bits moved to the right, zeros following.',
    'math.bitShiftRight(8, 3) == 1',
    (value, by) => value >> by,
  ),
];

function extreme(name: string, sign: 1 | -1): Builtin {
  return (first, ...more) => {
    const values: readonly unknown[] = Array.isArray(first) && more.length === 0 ? listOf(first) : [first, ...more];
    let best: unknown;
    for (const value of values) {
      if (numeric(value) === undefined) noOverload(`${name}()`, value);
      if (best === undefined || (order(value, best) as number) * sign > 0) best = value;
    }
    return best ?? missing(name);
  };
}

function missing(name: string): never {
  throw new CelError('invalid-argument', `${name}() needs at least one number`);
}

function ofDouble(name: string, doc: string, example: string, work: (value: number) => number): FunctionDefinition {
  return {
    name,
    group: 'math',
    signatures: [`${name}(value: double) -> double`],
    doc,
    example,
    call: (value) => (typeof value === 'number' ? work(value) : noOverload(`${name}()`, value)),
  };
}

function testOfDouble(
  name: string,
  doc: string,
  example: string,
  work: (value: number) => boolean,
): FunctionDefinition {
  return {
    name,
    group: 'math',
    signatures: [`${name}(value: double) -> bool`],
    doc,
    example,
    call: (value) => (typeof value === 'number' ? work(value) : noOverload(`${name}()`, value)),
  };
}

function round(value: number): number {
  const size = Math.abs(value);
  const whole = Math.floor(size);
  // Half of a number below 1/2 plus 1/2 may be rounded up to 1, so the fraction is looked at by itself.
  return size < 2 ** 52 ? Math.sign(value) * (size - whole >= 0.5 ? whole + 1 : whole) : value;
}

function bitwise(
  name: string,
  doc: string,
  example: string,
  work: (left: bigint, right: bigint) => bigint,
): FunctionDefinition {
  return {
    name,
    group: 'math',
    signatures: [`${name}(left: int, right: int) -> int`, `${name}(left: uint, right: uint) -> uint`],
    doc,
    example,
    call: (left, right) => {
      if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, work(left, right));
      if (left instanceof CelUint && right instanceof CelUint) return new CelUint(work(left.value, right.value));
      return noOverload(`${name}()`, left, right);
    },
  };
}

function shift(
  name: string,
  doc: string,
  example: string,
  work: (value: bigint, by: bigint) => bigint,
): FunctionDefinition {
  return {
    name,
    group: 'math',
    signatures: [`${name}(value: int, places: int) -> int`, `${name}(value: uint, places: int) -> uint`],
    doc,
    example,
    call: (value, places) => {
      if (typeof places !== 'bigint') return noOverload(`${name}()`, value, places);
      if (places < 0n) throw new CelError('invalid-argument', `${name}() cannot shift by ${places} places`);
      const by = places > 64n ? 64n : places;
      if (typeof value === 'bigint') return BigInt.asIntN(64, work(BigInt.asUintN(64, value), by));
      if (value instanceof CelUint) return new CelUint(BigInt.asUintN(64, work(value.value, by)));
      return noOverload(`${name}()`, value, places);
    },
  };
}
