import { sizeCost } from '../compile/code.ts';
import { contains, elementAt, has, peek, select } from '../values/access.ts';
import { arithmetic, negate } from '../values/arithmetic.ts';
import { equal } from '../values/equality.ts';
import { Fields } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { mustOrder } from '../values/ordering.ts';

/** Thrown by generated code to hand the evaluation over to the closures. */
export const bail: unique symbol = Symbol('bail');

/** What generated code may call. */
const helpers = {
  bail,
  own: Object.prototype.hasOwnProperty,
  select,
  elementAt,
  has,
  peek,
  contains,
  equal,
  negate,
  sizeCost,
  Fields,
  CelOptional,
  isLess: (left: unknown, right: unknown) => mustOrder(left, right, '<') < 0,
  isAtMost: (left: unknown, right: unknown) => mustOrder(left, right, '<=') <= 0,
  isGreater: (left: unknown, right: unknown) => mustOrder(left, right, '>') > 0,
  isAtLeast: (left: unknown, right: unknown) => mustOrder(left, right, '>=') >= 0,
  mixedAdd: arithmetic('+', true),
  mixedSubtract: arithmetic('-', true),
  mixedMultiply: arithmetic('*', true),
  mixedDivide: arithmetic('/', true),
  mixedRemainder: arithmetic('%', true),
  strictAdd: arithmetic('+', false),
  strictSubtract: arithmetic('-', false),
  strictMultiply: arithmetic('*', false),
  strictDivide: arithmetic('/', false),
  strictRemainder: arithmetic('%', false),
};

export const helperNames: readonly string[] = Object.keys(helpers);
export const helperValues: readonly unknown[] = Object.values(helpers);
