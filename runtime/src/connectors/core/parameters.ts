import { Failure, type FieldProblem } from '../../foundation/errors/failure.ts';
import { lengthProblem } from '../../foundation/errors/length-problem.ts';
import type { ParameterDeclaration } from './operations.ts';

type Input = Record<string, unknown>;

/** Whether a text contains a match, in time proportional to its length. */
export type TextMatcher = (text: string) => boolean;

/** What a constraint says against a value, or undefined. */
type Constraint = (value: unknown) => { readonly code: string; readonly message: string } | undefined;

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly fallback: (() => unknown) | undefined;
  /** Names of the request header it is taken from; undefined when it comes with the rest of the input. */
  readonly headers: readonly string[] | undefined;
  readonly article: string;
  readonly convert: (value: unknown) => unknown;
  readonly constraints: readonly Constraint[];
}

/**
 * Compiles the parameter contract of an operation (docs/specification/connectors.md#named-operations). The returned
 * function completes and converts `input` in place: defaults first, for what is absent, null or empty; then conversion;
 * then constraints. It throws `parameters_invalid` with every problem at once, sorted by name. Values are never
 * repeated in messages.
 *
 * A parameter that is declared `in = "header"` is taken from `input.headers` alone, by its name with `_` read as `-`
 * too; the others come with path, query and body, which are merged in `input` already. Declared integers are bigint
 * afterwards, so that they are `int` in expressions.
 */
export function compileParameters(
  declarations: readonly ParameterDeclaration[],
  matcherOf: (pattern: string) => TextMatcher,
): (input: Input) => void {
  const parameters = declarations
    .map((declaration) => compile(declaration, matcherOf))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return (input) => {
    let problems: FieldProblem[] | undefined;
    for (const parameter of parameters) {
      const found = settle(parameter, input);
      if (found !== undefined) problems = problems === undefined ? found : [...problems, ...found];
    }
    if (problems === undefined) return;
    const text = problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
    throw new Failure('parameters_invalid', `invalid parameters: ${text}`, { fields: problems });
  };
}

/**
 * Compiles what gives numbers that came as text one spelling in place, and leaves what does not convert: a call that
 * comes later converts it, and what goes by its text until then goes by one.
 */
export function compileSpelling(declarations: readonly ParameterDeclaration[]): ((input: Input) => void) | undefined {
  const numbers = declarations.filter(({ type }) => type === 'integer' || type === 'number');
  if (numbers.length === 0) return undefined;
  return (input) => {
    for (const { label: name, type } of numbers) {
      if (typeof input[name] !== 'string' || !Object.hasOwn(input, name)) continue;
      const converted = conversions[type](input[name]);
      if (converted !== undefined) input[name] = String(converted);
    }
  };
}

/** Puts the value of one parameter into `input`, or says what is wrong with it. */
function settle(parameter: Parameter, input: Input): FieldProblem[] | undefined {
  const { name } = parameter;
  let value = given(parameter, input);
  if (isAbsent(value)) {
    if (parameter.fallback === undefined) {
      if (parameter.headers !== undefined) delete input[name];
      if (!parameter.required) return undefined;
      return [{ field: name, code: 'required', message: 'is required' }];
    }
    value = parameter.fallback();
  }
  const converted = parameter.convert(value);
  if (converted === undefined) {
    return [{ field: name, code: 'type_mismatch', message: `must be ${parameter.article}` }];
  }
  const problems: FieldProblem[] = [];
  for (const constraint of parameter.constraints) {
    const problem = constraint(converted);
    if (problem !== undefined) problems.push({ field: name, ...problem });
  }
  if (problems.length > 0) return problems;
  input[name] = converted;
  return undefined;
}

function given({ name, headers }: Parameter, input: Input): unknown {
  if (headers === undefined) return Object.hasOwn(input, name) ? input[name] : undefined;
  const sent = input['headers'];
  if (typeof sent !== 'object' || sent === null) return undefined;
  const found = headers.find((header) => Object.hasOwn(sent, header));
  return found === undefined ? undefined : (sent as Input)[found];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function compile(declaration: ParameterDeclaration, matcherOf: (pattern: string) => TextMatcher): Parameter {
  const { label: name, type, required } = declaration;
  const lower = name.toLowerCase();
  const { default: standard } = declaration;
  return {
    name,
    required,
    fallback: isAbsent(standard)
      ? undefined
      : () => (typeof standard === 'object' ? structuredClone(standard) : standard),
    headers: declaration.in === 'header' ? [...new Set([lower, lower.replaceAll('_', '-')])] : undefined,
    article: articles[type],
    convert: conversions[type],
    constraints: constraintsOf(declaration, matcherOf),
  };
}

const articles = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
} as const;

/** Each gives the converted value, or undefined when the value does not convert. */
const conversions: Readonly<Record<ParameterDeclaration['type'], (value: unknown) => unknown>> = {
  string: (value) => {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
      ? String(value)
      : undefined;
  },
  number: (value) => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (typeof value === 'bigint') return value;
    if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return undefined;
    const number = Number(value);
    if (!Number.isFinite(number)) return undefined;
    return /^[+-]?\d+$/.test(value) && !Number.isSafeInteger(number) ? exact(value) : number;
  },
  integer: (value) => {
    if (typeof value === 'number') return Number.isInteger(value) ? fits(BigInt(value)) : undefined;
    if (typeof value === 'bigint') return fits(value);
    return typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value) ? fits(exact(value)) : undefined;
  },
  boolean: (value) => (typeof value === 'boolean' ? value : typeof value === 'string' ? words.get(value) : undefined),
  array: (value) => (Array.isArray(value) ? value : undefined),
  object: (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined),
};

/** Texts that are truth values. */
const words: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

function exact(text: string): bigint {
  return BigInt(text.replace(/^\+/, ''));
}

/** Expressions have 64 bits for an integer. */
function fits(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function constraintsOf(declaration: ParameterDeclaration, matcherOf: (pattern: string) => TextMatcher): Constraint[] {
  const { min, max, min_length: shortest, max_length: longest, pattern, type } = declaration;
  const constraints: Constraint[] = [];
  const add = (code: string, message: string, holds: (value: unknown) => boolean) => {
    const problem = { code, message };
    constraints.push((value) => (holds(value) ? undefined : problem));
  };
  if (min !== undefined) add('min', `must be at least ${min}`, (value) => !isNumber(value) || value >= min);
  if (max !== undefined) add('max', `must be at most ${max}`, (value) => !isNumber(value) || value <= max);
  const isList = type === 'array';
  if (shortest !== undefined) {
    add('min_length', lengthProblem('least', shortest, isList), (value) => length(value, shortest) >= shortest);
  }
  if (longest !== undefined) {
    add('max_length', lengthProblem('most', longest, isList), (value) => length(value, longest) <= longest);
  }
  if (pattern !== undefined) {
    const matches = matcherOf(pattern);
    add('pattern', 'does not match the required pattern', (value) => typeof value !== 'string' || matches(value));
  }
  if (declaration.enum !== undefined) {
    const allowed = new Set(declaration.enum.map((each) => same(conversions[type](each) ?? each)));
    const shown = declaration.enum.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each)));
    add('enum', `must be one of ${shown.join(', ')}`, (value) => allowed.has(same(value)));
  }
  return constraints;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Characters or elements; `neutral` for what has no length. */
function length(value: unknown, neutral: number): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'string') return neutral;
  let characters = 0;
  for (const _ of value) characters++;
  return characters;
}

/** Equal for equal values: numbers by value, structures by their JSON. */
function same(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === 'object'
    ? JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
    : value;
}
