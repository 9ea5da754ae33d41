import { CelError } from '../engine.ts';
import { kindOf } from './kind.ts';

/** Throws the error of an operator or function that does not take these values. */
export function noOverload(what: string, ...values: readonly unknown[]): never {
  throw new CelError('no-such-overload', `${what} is not defined for ${values.map(kindOf).join(', ')}`);
}

/** Throws the error of a binary operator that does not take these values. */
export function noOperator(operator: string, left: unknown, right: unknown): never {
  throw new CelError('no-such-overload', `${kindOf(left)} ${operator} ${kindOf(right)} is not defined`);
}
