import { sizeCost } from '../compile/code.ts';
import { comparisons } from '../compile/operators.ts';
import { contains, elementAt, has, peek, select } from '../values/access.ts';
import { arithmetic, negate } from '../values/arithmetic.ts';
import { equal } from '../values/equality.ts';
import { Fields } from '../values/map.ts';
import { meter } from '../values/meter.ts';
import { CelOptional } from '../values/optional.ts';
import { equalTimes } from '../values/times.ts';

/** Thrown by generated code to hand the evaluation over to the closures. */
export const bail: unique symbol = Symbol('bail');

/** What generated code may call. */
const helpers = {
  bail,
  meter,
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
  equalTimes,
  productLess: comparisons.product['<'],
  productAtMost: comparisons.product['<='],
  productGreater: comparisons.product['>'],
  productAtLeast: comparisons.product['>='],
  strictLess: comparisons.strict['<'],
  strictAtMost: comparisons.strict['<='],
  strictGreater: comparisons.strict['>'],
  strictAtLeast: comparisons.strict['>='],
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
