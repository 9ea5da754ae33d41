import { toJson } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource, Origin } from '@svc/protocol/schema';
import type { Expression } from '../../engine/flow/compile/expression.ts';
import { withIntegers } from '../../engine/flow/compile/whole-numbers.ts';

/** One place at which a value is not what was expected. */
export interface Difference {
  /** Keys and positions from the value inwards. */
  readonly path: readonly (string | number)[];
  /** What was expected, as text: JSON, or the condition. */
  readonly expected: string;
  /** As JSON; undefined: there is nothing. */
  readonly actual: unknown;
  /** Where it was expected. */
  readonly origin: Origin;
  /** How what is expected would be written to be what came; undefined where it is an expression, or is written elsewhere. */
  readonly change?: Change | undefined;
}

/** What an expectation that is accepted as it came changes in the text at the origin of its difference. */
export type Change =
  /** The value that is written there becomes this one. */
  | { readonly kind: 'replace'; readonly value: unknown }
  /** The object or list that is written there gets this one too; `key` for an object. */
  | { readonly kind: 'add'; readonly key: string | undefined; readonly value: unknown }
  /** The value that is written there is taken out of the object or list around it. */
  | { readonly kind: 'remove' };

export interface CompareOptions {
  /** Objects may have more than is named. */
  readonly part: boolean;
  /** What expressions read beside `value`. */
  readonly scope: object;
  readonly expression: (source: CelSource) => Expression;
}

type Path = readonly (string | number)[];

/** Every place at which `actual`, as JSON, is not what was expected; `undefined` is a value that is not there. */
export function differences(
  expected: ArgumentSource,
  actual: unknown,
  options: CompareOptions,
  path: Path = [],
): readonly Difference[] {
  switch (expected.kind) {
    case 'constant':
      return plainDifferences(toJson(expected.value), actual, expected.origin, options.part, path).map((found) =>
        // What is inside of a constant is not written by itself: a function gave it.
        found.path.length > path.length ? found : { ...found, change: changeTo(actual) },
      );
    case 'cel':
      return celDifferences(expected, actual, options, path);
    case 'list': {
      if (!Array.isArray(actual))
        return [
          {
            ...different(`a list of ${expected.items.length}`, actual, expected.origin, path),
            change: changeTo(actual),
          },
        ];
      const inside = expected.items.flatMap((item, at) => differences(item, actual[at], options, [...path, at]));
      return [...inside, ...surplus(actual, expected.items.length, expected.origin, path).map(added)];
    }
    case 'map': {
      if (!isObject(actual))
        return [{ ...different('an object', actual, expected.origin, path), change: changeTo(actual) }];
      const known = new Set(expected.entries.map(([name]) => name));
      const inside = expected.entries.flatMap(([name, item]) =>
        differences(item, own(actual, name), options, [...path, name]),
      );
      return options.part ? inside : [...inside, ...unexpected(actual, known, expected.origin, path).map(added)];
    }
  }
}

function changeTo(actual: unknown): Change {
  return actual === undefined ? { kind: 'remove' } : { kind: 'replace', value: actual };
}

function added(found: Difference): Difference {
  const key = found.path.at(-1);
  return {
    ...found,
    change: { kind: 'add', key: typeof key === 'string' ? key : undefined, value: found.actual },
  };
}

function celDifferences(
  source: CelSource,
  actual: unknown,
  { part, scope, expression }: CompareOptions,
  path: Path,
): readonly Difference[] {
  const compiled = expression(source);
  const seen = Object.assign(Object.create(scope) as object, { value: withIntegers(actual) });
  // An expression that reads the value is a condition; any other is a value to compare with.
  if (compiled.reads(['value'])) {
    const why = refusal(compiled, seen, actual);
    return why === undefined ? [] : [different(`${source.source}${why}`, actual, source.origin, path)];
  }
  let value: unknown;
  try {
    value = toJson(compiled.evaluate(seen));
  } catch (error) {
    return [different(`${source.source} (${messageOf(error)})`, actual, source.origin, path)];
  }
  return plainDifferences(value, actual, source.origin, part, path);
}

/** Why a condition does not hold; undefined when it does. */
function refusal(condition: Expression, scope: object, actual: unknown): string | undefined {
  if (actual === undefined) return '';
  try {
    return condition.isTrue(scope) ? undefined : '';
  } catch (error) {
    return ` (${messageOf(error)})`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function plainDifferences(
  expected: unknown,
  actual: unknown,
  origin: Origin,
  part: boolean,
  path: Path,
): readonly Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const inside = expected.flatMap((item, at) => plainDifferences(item, actual[at], origin, part, [...path, at]));
    return [...inside, ...surplus(actual, expected.length, origin, path)];
  }
  if (isObject(expected) && isObject(actual)) {
    const names = Object.keys(expected);
    const inside = names.flatMap((name) =>
      plainDifferences(expected[name], own(actual, name), origin, part, [...path, name]),
    );
    return part ? inside : [...inside, ...unexpected(actual, new Set(names), origin, path)];
  }
  return expected === actual ? [] : [different(JSON.stringify(expected) ?? 'nothing', actual, origin, path)];
}

/** Whether two values are the same JSON. */
export function sameJson(a: unknown, b: unknown): boolean {
  const nowhere: Origin = { file: '', range: { start: 0, end: 0 } };
  return plainDifferences(toJson(a), toJson(b), nowhere, false, []).length === 0;
}

function surplus(actual: readonly unknown[], count: number, origin: Origin, path: Path): readonly Difference[] {
  return actual.slice(count).map((item, at) => different('nothing', item, origin, [...path, count + at]));
}

function unexpected(
  actual: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  origin: Origin,
  path: Path,
): readonly Difference[] {
  return Object.keys(actual)
    .filter((name) => !known.has(name))
    .map((name) => different('nothing', actual[name], origin, [...path, name]));
}

function different(expected: string, actual: unknown, origin: Origin, path: Path): Difference {
  return { path, expected, actual, origin };
}

function own(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `output.items[0].id`. */
export function pathText(root: string, path: Path): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number'
        ? `${text}[${part}]`
        : /^[A-Za-z_]\w*$/.test(part)
          ? `${text}.${part}`
          : `${text}[${JSON.stringify(part)}]`,
    root,
  );
}
