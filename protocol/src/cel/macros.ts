import type { Range } from '../text/index.ts';
import type { CallExpression, Expression, SelectExpression } from './ast.ts';
import type { FunctionDocumentation } from './stdlib/definition.ts';

/** A call whose arguments are not simply evaluated before it. */
export type Macro =
  | { readonly kind: 'has'; readonly select: SelectExpression }
  | Comprehension
  | { readonly kind: 'bind'; readonly variable: string; readonly value: Expression; readonly body: Expression }
  | {
      readonly kind: 'optional-map';
      /** Whether the body gives an optional itself. */
      readonly flat: boolean;
      readonly operand: Expression;
      readonly variable: string;
      readonly body: Expression;
    }
  | {
      readonly kind: 'optional-or';
      /** Whether the result is the value instead of an optional. */
      readonly unwrap: boolean;
      readonly operand: Expression;
      readonly alternative: Expression;
    }
  | { readonly kind: 'default'; readonly value: Expression; readonly alternative: Expression };

/** A macro that evaluates its body for every element of `range`. */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly name: ComprehensionName;
  readonly range: Expression;
  /** The element of a list or key of a map; or index and element, key and value. */
  readonly variables: readonly [string] | readonly [string, string];
  readonly filter: Expression | undefined;
  readonly body: Expression;
}

export type ComprehensionName =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'sortBy';

/** A macro written wrongly. */
export interface MacroProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly range: Range;
}

/** How a comprehension is written: numbers of variables, and of expressions after them, that it takes. */
const comprehensions: Readonly<
  Record<string, { name: ComprehensionName; forms: readonly (readonly [number, number])[] }>
> = {
  all: {
    name: 'all',
    forms: [
      [1, 1],
      [2, 1],
    ],
  },
  exists: {
    name: 'exists',
    forms: [
      [1, 1],
      [2, 1],
    ],
  },
  exists_one: {
    name: 'exists_one',
    forms: [
      [1, 1],
      [2, 1],
    ],
  },
  existsOne: {
    name: 'exists_one',
    forms: [
      [1, 1],
      [2, 1],
    ],
  },
  map: {
    name: 'map',
    forms: [
      [1, 1],
      [1, 2],
    ],
  },
  filter: { name: 'filter', forms: [[1, 1]] },
  transformList: {
    name: 'transformList',
    forms: [
      [2, 1],
      [2, 2],
    ],
  },
  transformMap: {
    name: 'transformMap',
    forms: [
      [2, 1],
      [2, 2],
    ],
  },
  transformMapEntry: {
    name: 'transformMapEntry',
    forms: [
      [2, 1],
      [2, 2],
    ],
  },
  sortBy: { name: 'sortBy', forms: [[1, 1]] },
};

/** The macro a call is, a problem when it is one written wrongly, undefined when it is a plain function call. */
export function macroOf(call: CallExpression, dialect: 'product' | 'strict'): Macro | MacroProblem | undefined {
  const { target, name, args } = call;
  if (!target) return globalMacro(call, dialect);
  const [first, second, third] = args;
  if (Object.hasOwn(comprehensions, name)) return comprehension(call, target);
  switch (name) {
    case 'bind':
      if (target.kind !== 'identifier' || target.name !== 'cel' || !first || !second || !third || args.length > 3)
        return undefined;
      return withVariable(first, (variable) => ({ kind: 'bind', variable, value: second, body: third }));
    case 'optMap':
    case 'optFlatMap':
      if (!first || !second || args.length > 2) return undefined;
      return withVariable(first, (variable) => ({
        kind: 'optional-map',
        flat: name === 'optFlatMap',
        operand: target,
        variable,
        body: second,
      }));
    case 'or':
    case 'orValue':
      if (!first || second) return undefined;
      return { kind: 'optional-or', unwrap: name === 'orValue', operand: target, alternative: first };
    default:
      return undefined;
  }
}

function globalMacro(
  { name, args, nameRange }: CallExpression,
  dialect: 'product' | 'strict',
): Macro | MacroProblem | undefined {
  const [first, second, third] = args;
  if (name === 'has' && first && !second) {
    if (first.kind === 'select' && !first.optional) return { kind: 'has', select: first };
    return { kind: 'problem', message: 'has() takes a field, such as has(input.name)', range: first };
  }
  if (name !== 'default' || dialect === 'strict') return undefined;
  if (first && second && !third) return { kind: 'default', value: first, alternative: second };
  return { kind: 'problem', message: 'default() takes a value and a fallback', range: nameRange };
}

function comprehension(call: CallExpression, range: Expression): Macro | MacroProblem | undefined {
  const known = comprehensions[call.name] as (typeof comprehensions)[string];
  const form = known.forms.find(([variables, bodies]) => variables + bodies === call.args.length);
  if (!form) return undefined;
  const [count, bodies] = form;
  const names: string[] = [];
  for (const argument of call.args.slice(0, count)) {
    if (argument.kind !== 'identifier' || argument.absolute) return notAName(argument);
    if (names.includes(argument.name))
      return { kind: 'problem', message: `"${argument.name}" is declared twice`, range: argument };
    names.push(argument.name);
  }
  return {
    kind: 'comprehension',
    name: known.name,
    range,
    variables: names as [string] | [string, string],
    filter: bodies === 2 ? call.args[count] : undefined,
    body: call.args.at(-1) as Expression,
  };
}

function withVariable(argument: Expression, make: (name: string) => Macro): Macro | MacroProblem {
  return argument.kind === 'identifier' && !argument.absolute ? make(argument.name) : notAName(argument);
}

function notAName(range: Expression): MacroProblem {
  return { kind: 'problem', message: 'a name for the element is expected here, such as x', range };
}

/** What people read about the macros. */
export const macros: readonly FunctionDocumentation[] = [
  {
    name: 'has',
    group: 'basics',
    signatures: ['has(field: dyn) -> bool'],
    doc: 'Whether a map has the field, even if its value is null. The maps before the last dot must exist.',
    example: "has({'a': null}.a) && !has({'a': 1}.b)",
  },
  {
    name: 'default',
    group: 'basics',
    dialect: 'product',
    signatures: ['default(value: dyn, fallback: dyn) -> dyn'],
    doc: 'The fallback when the value is absent, null or an empty text: the same as `value ?? fallback`.',
    example: "default({'a': ''}.a, 'none') == 'none'",
  },
  {
    name: 'all',
    group: 'lists',
    signatures: ['list(A).all(element, condition: bool) -> bool', 'map(A, B).all(key, condition: bool) -> bool'],
    doc: 'Whether the condition holds for every element. With two names: index and element, key and value.',
    example: '[1, 2].all(x, x > 0)',
  },
  {
    name: 'exists',
    group: 'lists',
    signatures: ['list(A).exists(element, condition: bool) -> bool', 'map(A, B).exists(key, condition: bool) -> bool'],
    doc: 'Whether the condition holds for an element. With two names: index and element, key and value.',
    example: '[1, 2].exists(x, x > 1)',
  },
  {
    name: 'exists_one',
    group: 'lists',
    signatures: [
      'list(A).exists_one(element, condition: bool) -> bool',
      'map(A, B).exists_one(key, condition: bool) -> bool',
    ],
    doc: 'Whether the condition holds for exactly one element. `existsOne` is the same.',
    example: '[1, 2].exists_one(x, x > 1)',
  },
  {
    name: 'map',
    group: 'lists',
    signatures: [
      'list(A).map(element, result: B) -> list(B)',
      'list(A).map(element, condition: bool, result: B) -> list(B)',
    ],
    doc: 'The results for every element, or for those that meet the condition. Of a map, its keys are the elements.',
    example: '[1, 2].map(x, x * 2) == [2, 4]',
  },
  {
    name: 'filter',
    group: 'lists',
    signatures: ['list(A).filter(element, condition: bool) -> list(A)'],
    doc: 'The elements that meet the condition. Of a map, its keys are the elements.',
    example: '[1, 2, 3].filter(x, x > 1) == [2, 3]',
  },
  {
    name: 'sortBy',
    group: 'lists',
    signatures: ['list(A).sortBy(element, key: B) -> list(A)'],
    doc: 'The elements in ascending order of their keys.',
    example: "['ccc', 'a', 'bb'].sortBy(x, size(x)) == ['a', 'bb', 'ccc']",
  },
  {
    name: 'transformList',
    group: 'lists',
    signatures: [
      'list(A).transformList(index, element, result: B) -> list(B)',
      'list(A).transformList(index, element, condition: bool, result: B) -> list(B)',
    ],
    doc: 'The results for every index and element of a list, or key and value of a map.',
    example: '[5, 6].transformList(i, x, i + x) == [5, 7]',
  },
  {
    name: 'transformMap',
    group: 'maps',
    signatures: [
      'map(A, B).transformMap(key, value, result: C) -> map(A, C)',
      'map(A, B).transformMap(key, value, condition: bool, result: C) -> map(A, C)',
    ],
    doc: 'The map with its values replaced by the results; of a list, a map by index.',
    example: "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
  },
  {
    name: 'transformMapEntry',
    group: 'maps',
    signatures: [
      'map(A, B).transformMapEntry(key, value, entries: map(C, D)) -> map(C, D)',
      'map(A, B).transformMapEntry(key, value, condition: bool, entries: map(C, D)) -> map(C, D)',
    ],
    doc: 'One map of the entries that the results hold. A key may appear once.',
    example: "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
  },
  {
    name: 'cel.bind',
    group: 'basics',
    signatures: ['cel.bind(name, value: A, result: B) -> B'],
    doc: 'The result, in which the name denotes the value.',
    example: 'cel.bind(x, 2, x * x) == 4',
  },
  {
    name: 'or',
    group: 'optionals',
    signatures: ['optional(A).or(other: optional(A)) -> optional(A)'],
    doc: 'This optional, or the other when it is empty.',
    example: 'optional.none().or(optional.of(1)).value() == 1',
  },
  {
    name: 'orValue',
    group: 'optionals',
    signatures: ['optional(A).orValue(fallback: A) -> A'],
    doc: 'The value of the optional, or the fallback when it is empty.',
    example: "{'a': 1}.?b.orValue(0) == 0",
  },
  {
    name: 'optMap',
    group: 'optionals',
    signatures: ['optional(A).optMap(name, result: B) -> optional(B)'],
    doc: 'An optional of the result for the value, empty when this one is.',
    example: 'optional.of(2).optMap(x, x + 1).value() == 3',
  },
  {
    name: 'optFlatMap',
    group: 'optionals',
    signatures: ['optional(A).optFlatMap(name, result: optional(B)) -> optional(B)'],
    doc: 'The optional that the result for the value is, empty when this one is.',
    example: 'optional.of(2).optFlatMap(x, optional.of(x + 1)).value() == 3',
  },
];
