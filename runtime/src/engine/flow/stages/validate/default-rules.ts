import type { Report } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';
import { compileTypes } from './checker.ts';
import { matcherOf } from './pattern-rules.ts';
import type { TypeModel } from './spec.ts';

/** A default, and where it is written. */
export interface WrittenDefault {
  readonly type: string;
  /** The path of the field in the type: `address.city`. */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly at: Origin;
}

/**
 * Checks that defaults are values that their own fields accept. Custom validators are not run: they are expressions,
 * which are not evaluated before the service starts.
 */
export function checkDefaults(types: readonly TypeModel[], defaults: readonly WrittenDefault[], report: Report): void {
  if (defaults.length === 0) return;
  const checkers = compileTypes(types, { matcherOf, validator: () => ({ message: '', holds: () => true }) });
  for (const { type, path, value, at } of defaults) {
    const field = path.join('.');
    const holding = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    const problems = checkers.get(type)?.problemsOf(holding) ?? [];
    // The other fields are absent here, and their problems do not count.
    const own = problems.find((one) => one.field === field || isInside(one.field, field));
    if (own === undefined) continue;
    const inside = own.field === field ? ':' : `: ${own.field}`;
    report(
      'wrong-default',
      `the default of field "${field}" is refused by the field itself${inside} ${own.message}`,
      at,
      {
        help: 'Change the default, or the constraints of the field.',
      },
    );
  }
}

function isInside(path: string, field: string): boolean {
  return path.startsWith(field) && /^[.[]/.test(path.slice(field.length));
}
