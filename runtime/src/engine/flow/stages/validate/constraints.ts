import { lengthProblem } from '../../../../foundation/errors/length-problem.ts';
import { formatChecks } from './formats.ts';
import type { FieldModel } from './spec.ts';

/** One rule of a field. */
export interface Constraint {
  readonly code: string;
  readonly message: string;
  readonly holds: (value: unknown) => boolean;
  /** The same where the answer comes later; `holds` is not asked then. */
  readonly holdsLater?: ((value: unknown) => Promise<boolean>) | undefined;
}

/** What a validator block does. */
export interface ValidatorCheck {
  readonly message: string;
  /** Whether the value is valid. Throws when that cannot be determined, which refuses the message. */
  readonly holds: (value: unknown) => boolean;
  /** The same where the answer comes later; `holds` is not asked then. Rejects when that cannot be determined. */
  readonly holdsLater?: ((value: unknown) => Promise<boolean>) | undefined;
}

interface ConstraintTools {
  readonly matcherOf: (pattern: string) => (text: string) => boolean;
  readonly validator: (name: string) => ValidatorCheck | undefined;
}

/**
 * The constraints of a field in written order, its validator last. They are applied to values of the field's type only.
 */
export function constraintsOf(
  { constraints, order, shape }: FieldModel,
  tools: ConstraintTools,
): readonly Constraint[] {
  const sorted = [...order].sort((a, b) => Number(a === 'validator') - Number(b === 'validator'));
  return sorted.flatMap((name) => constraintOf(name, constraints, shape.kind === 'array', tools) ?? []);
}

function constraintOf(
  name: string,
  constraints: FieldModel['constraints'],
  isList: boolean,
  tools: ConstraintTools,
): Constraint | undefined {
  const { format, pattern, min, max, min_length: shortest, max_length: longest, validator } = constraints;
  if (name === 'format' && format !== undefined) {
    const { says, holds } = formatChecks[format];
    return { code: 'format', message: says, holds: (value) => typeof value !== 'string' || holds(value) };
  }
  if (name === 'pattern' && pattern !== undefined) {
    const matches = tools.matcherOf(pattern);
    const holds = (value: unknown) => typeof value !== 'string' || matches(value);
    return { code: 'pattern', message: 'does not match the required pattern', holds };
  }
  if (name === 'min' && min !== undefined)
    return { code: name, message: `must be at least ${min}`, holds: (value) => !((value as number) < min) };
  if (name === 'max' && max !== undefined)
    return { code: name, message: `must be at most ${max}`, holds: (value) => !((value as number) > max) };
  if (name === 'min_length' && shortest !== undefined)
    return {
      code: name,
      message: lengthProblem('least', shortest, isList),
      holds: (value) => isLong(value, shortest),
    };
  if (name === 'max_length' && longest !== undefined)
    return {
      code: name,
      message: lengthProblem('most', longest, isList),
      holds: (value) => !isLong(value, longest + 1),
    };
  if (name === 'enum' && constraints.enum !== undefined) {
    const allowed = new Set(constraints.enum.map(comparable));
    const shown = constraints.enum
      .map((each) => (typeof each === 'bigint' ? String(each) : JSON.stringify(each)))
      .join(', ');
    return { code: name, message: `must be one of ${shown}`, holds: (value) => allowed.has(comparable(value)) };
  }
  if (name === 'validator' && validator !== undefined) {
    const check = tools.validator(validator);
    // An unknown validator was refused before; a message must not pass because of it.
    return {
      code: name,
      message: check?.message ?? 'cannot be checked',
      holds: (value) => check?.holds(value) ?? false,
      holdsLater: check?.holdsLater,
    };
  }
  return undefined;
}

function comparable(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Whether a text has at least so many characters (code points), or a list so many elements. */
function isLong(value: unknown, least: number): boolean {
  if (Array.isArray(value)) return value.length >= least;
  if (typeof value !== 'string' || value.length < least) return false;
  if (value.length >= least * 2) return true;
  let count = 0;
  for (const _ of value) if (++count >= least) return true;
  return count >= least;
}
