import { Failure, type FieldProblem } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';
import { type Constraint, constraintsOf, type ValidatorCheck } from './constraints.ts';
import { type Complete, compileDefaults } from './defaults.ts';
import type { FieldModel, FieldShape, TypeModel } from './spec.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Checks values against one type. */
export interface Checker {
  readonly name: string;
  /** Names of the declared fields. */
  readonly fields: readonly string[];
  /** Fills in what is absent and has a default; undefined without any default. */
  readonly complete: Complete | undefined;
  /** Every problem of an object, in field order; undefined when it is valid. */
  problemsOf(value: unknown, path?: string): FieldProblem[] | undefined;
}

/** What compiling types needs from outside. */
export interface CheckerTools {
  /** Whether a text contains a match, in time proportional to its length. Throws when the pattern is malformed. */
  readonly matcherOf: (pattern: string) => (text: string) => boolean;
  /** The check of a validator block. */
  readonly validator: (name: string) => ValidatorCheck | undefined;
}

/** Compiles types to checkers by name. A type may contain itself: names are followed when values are checked. */
export function compileTypes(types: readonly TypeModel[], tools: CheckerTools): ReadonlyMap<string, Checker> {
  const checkers = new Map<string, Checker>();
  const completes = compileDefaults(types);
  for (const { name, fields } of types) {
    checkers.set(name, new ObjectChecker(name, fields, checkers, tools, completes.get(name)));
  }
  return checkers;
}

/** Checks one value that is present; `problems` grows. */
type ShapeCheck = (value: unknown, path: string, problems: FieldProblem[] | undefined) => FieldProblem[] | undefined;

interface FieldCheck {
  readonly name: string;
  readonly required: boolean;
  readonly check: ShapeCheck;
}

class ObjectChecker implements Checker {
  readonly name: string;
  readonly fields: readonly string[];
  readonly complete: Complete | undefined;
  readonly #checks: readonly FieldCheck[];

  constructor(
    name: string,
    fields: readonly FieldModel[],
    types: ReadonlyMap<string, Checker>,
    tools: CheckerTools,
    complete?: Complete,
  ) {
    this.name = name;
    this.complete = complete;
    this.fields = fields.map((field) => field.name);
    this.#checks = fields.map((field) => compileField(field, types, tools));
  }

  problemsOf(value: unknown, path = ''): FieldProblem[] | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ field: path, code: 'type_mismatch', message: 'must be an object' }];
    }
    let problems: FieldProblem[] | undefined;
    for (const { name, required, check } of this.#checks) {
      const item = Object.hasOwn(value, name) ? (value as Fields)[name] : undefined;
      if (item !== undefined && item !== null) problems = check(item, join(path, name), problems);
      else if (required)
        problems = add(problems, { field: join(path, name), code: 'required', message: 'is required' });
    }
    return problems;
  }
}

/** A check whose answer comes later, and the problem if it fails. */
interface LaterCheck {
  readonly ask: () => Promise<boolean>;
  readonly problem: FieldProblem;
}

/** The checks that the value which is checked now has met so far. Checking is synchronous, one value at a time. */
const checking: { met: LaterCheck[] | undefined } = { met: undefined };
/** Checks that are asked at the same time. */
const mostAtOnce = 64;

/**
 * Every problem of a value, those included that are known later; a promise only where there are such checks. Rejects where
 * one of them cannot be determined.
 */
export function problemsIn(
  checker: Checker,
  value: unknown,
  path = '',
): FieldProblem[] | undefined | Promise<FieldProblem[] | undefined> {
  const before = checking.met;
  const own: LaterCheck[] = [];
  checking.met = own;
  let problems: FieldProblem[] | undefined;
  try {
    problems = checker.problemsOf(value, path);
  } finally {
    checking.met = before;
  }
  return own.length === 0 ? problems : settled(own, problems);
}

/** The same for each value of a list; with positions in the paths where `numbered`. */
export function problemsOfEach(
  checker: Checker,
  values: readonly unknown[],
  numbered: boolean,
): FieldProblem[] | Promise<FieldProblem[]> {
  const all = values.map((item, at) => problemsIn(checker, item, numbered ? `[${at}]` : ''));
  return all.some((found) => found instanceof Promise)
    ? Promise.all(all).then((found) => found.flatMap((problems) => problems ?? []))
    : (all as (FieldProblem[] | undefined)[]).flatMap((problems) => problems ?? []);
}

async function settled(
  checks: readonly LaterCheck[],
  problems: FieldProblem[] | undefined,
): Promise<FieldProblem[] | undefined> {
  for (let from = 0; from < checks.length; from += mostAtOnce) {
    const some = checks.slice(from, from + mostAtOnce);
    const passed = await Promise.all(some.map(({ ask }) => ask()));
    passed.forEach((passes, at) => {
      if (!passes) problems = add(problems, (some[at] as LaterCheck).problem);
    });
  }
  return problems;
}

/** A place that does not wait has no answer: the value is refused there. */
function askLater(
  ask: LaterCheck['ask'],
  problem: FieldProblem,
  problems: FieldProblem[] | undefined,
): FieldProblem[] | undefined {
  const { met } = checking;
  if (met === undefined) return add(problems, { ...problem, message: 'cannot be checked here' });
  met.push({ ask, problem });
  return problems;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function add(problems: FieldProblem[] | undefined, problem: FieldProblem): FieldProblem[] {
  if (problems === undefined) return [problem];
  problems.push(problem);
  return problems;
}

function compileField(field: FieldModel, types: ReadonlyMap<string, Checker>, tools: CheckerTools): FieldCheck {
  const ofType = compileShape(field.shape, types, tools);
  const constraints = constraintsOf(field, tools);
  const items = field.constraints.items === undefined ? undefined : compileItems(field.constraints.items, types, tools);
  const check: ShapeCheck = (value, path, problems) => {
    const before = problems?.length ?? 0;
    problems = ofType(value, path, problems);
    if ((problems?.length ?? 0) > before) return problems;
    for (const { code, message, holds, holdsLater } of constraints) {
      if (holdsLater !== undefined)
        problems = askLater(() => holdsLater(value), { field: path, code, message }, problems);
      else if (!holds(value)) problems = add(problems, { field: path, code, message });
    }
    return items === undefined ? problems : items(value, path, problems);
  };
  const alone = constraints.length === 0 && items === undefined;
  return { name: field.name, required: field.constraints.required, check: alone ? ofType : check };
}

function compileItems(word: string, types: ReadonlyMap<string, Checker>, tools: CheckerTools): ShapeCheck {
  const shape: FieldShape = word in scalars ? { kind: word as keyof typeof scalars } : { kind: 'type', type: word };
  const check = compileShape(shape, types, tools);
  return (value, path, problems) => {
    const items = value as readonly unknown[];
    for (let at = 0; at < items.length; at++) problems = check(items[at], `${path}[${at}]`, problems);
    return problems;
  };
}

const scalars: Readonly<
  Record<Exclude<FieldShape['kind'], 'type' | 'fields'>, (value: unknown) => string | undefined>
> = {
  string: (value) => (typeof value === 'string' ? undefined : 'must be a text'),
  number: (value) => (isNumber(value) ? undefined : 'must be a number'),
  integer: (value) => (typeof value === 'bigint' || Number.isInteger(value) ? undefined : 'must be a whole number'),
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  id: (value) => (typeof value === 'string' || isNumber(value) ? undefined : 'must be a text or a number'),
  array: (value) => (Array.isArray(value) ? undefined : 'must be a list'),
  object: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object',
};

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}

function compileShape(shape: FieldShape, types: ReadonlyMap<string, Checker>, tools: CheckerTools): ShapeCheck {
  if (shape.kind === 'fields') return nested(new ObjectChecker('', shape.fields, types, tools));
  if (shape.kind === 'type') {
    const { type } = shape;
    return (value, path, problems) => {
      const checker = types.get(type);
      // An unknown type was refused before; a message must not pass because of it.
      if (checker === undefined)
        return add(problems, { field: path, code: 'type_mismatch', message: `cannot be a ${type}` });
      return append(problems, checker.problemsOf(value, path));
    };
  }
  const mismatch = scalars[shape.kind];
  return (value, path, problems) => {
    const message = mismatch(value);
    return message === undefined ? problems : add(problems, { field: path, code: 'type_mismatch', message });
  };
}

function nested(checker: Checker): ShapeCheck {
  return (value, path, problems) => append(problems, checker.problemsOf(value, path));
}

function append(problems: FieldProblem[] | undefined, more: FieldProblem[] | undefined): FieldProblem[] | undefined {
  if (more === undefined || problems === undefined) return problems ?? more;
  problems.push(...more);
  return problems;
}

/** The failure of a value that does not match its type. */
export function mismatch(code: FailureCode, what: string, checker: Checker, fields: readonly FieldProblem[]): Failure {
  const text = fields.map(({ field, message }) => (field === '' ? message : `${field} ${message}`)).join('; ');
  return new Failure(code, `${what} does not match type "${checker.name}": ${text}`, { fields });
}

export type { Constraint };
