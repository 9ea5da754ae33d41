import { closest } from '@svc/protocol/text';
import type { Shape } from '../documents/shape.ts';

/** What is wrong with something that the configuration writes, with its path; undefined: nothing is. */
export type Problem = string | undefined;

/** The first problem of several places. */
export function firstProblem<T>(items: Iterable<T>, problemOf: (item: T) => Problem): Problem {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** An operator that is not known at its place. */
export function unknownOperator(name: string, path: string, known: ReadonlySet<string>, what: string): Problem {
  if (known.has(name)) return undefined;
  const near = closest(name, known);
  return `${path} is not an operator of ${what}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

export function below(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** What a shape is called in messages; undefined for what comes with the message, which may be anything. */
export function kindOf(
  shape: Shape,
): 'an object' | 'a list' | 'a text' | 'a number' | 'true or false' | 'null' | undefined {
  if (shape.kind === 'data') return undefined;
  if (shape.kind === 'map') return 'an object';
  if (shape.kind === 'list') return 'a list';
  const { value } = shape;
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  return value === null ? 'null' : undefined;
}

type Kind = NonNullable<ReturnType<typeof kindOf>>;

/** That a place has one of some kinds; what comes with the message may have any. */
export function needs(shape: Shape, path: string, ...kinds: readonly Kind[]): Problem {
  const kind = kindOf(shape);
  if (kind === undefined || kinds.includes(kind)) return undefined;
  return `${path} must be ${kinds.join(' or ')}, not ${kind}`;
}

/** A place that the configuration must write itself, since it names what is read or written. */
export function needsConstant(shape: Shape | undefined, path: string): Problem {
  if (shape === undefined) return undefined;
  if (shape.kind === 'data')
    return `${path} names a collection and must be written in the configuration: no value of a message is sent there`;
  return needs(shape, path, 'a text', 'an object');
}
