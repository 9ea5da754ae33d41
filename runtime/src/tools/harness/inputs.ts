import type { Places } from './places.ts';
import { shown } from './text.ts';
import type { SeenRule } from './watch.ts';

/** A value that an expression read. */
export interface RuleInput {
  /** `input.quantity`. */
  readonly name: string;
  readonly value: string;
}

/** What the expression of a rule read, each path once, as far as it can still be looked up. */
export function inputsOf(seen: SeenRule, places: Places): readonly RuleInput[] {
  const paths = new Map((places.program(seen)?.references ?? []).map(({ path }) => [path.join('.'), path]));
  return [...paths].map(([name, path]) => ({ name, value: shown(valueAt(seen.frame, path)) }));
}

function valueAt(frame: object, path: readonly string[]): unknown {
  let value: unknown = frame;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
