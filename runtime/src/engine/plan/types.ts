import { compileRegex } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import { type Checker, compileTypes } from '../flow/stages/validate/checker.ts';
import type { ValidatorCheck } from '../flow/stages/validate/constraints.ts';
import { type TypeModel, validator } from '../flow/stages/validate/spec.ts';
import { decodeTypes } from '../flow/stages/validate/type-rules.ts';
import type { PluginHost } from '../plugins/plugin-host.ts';
import type { Expressions } from './expressions.ts';

/** Whether a text contains a match of an RE2 pattern, in time proportional to its length. Throws when it is malformed. */
export function matcherOf(pattern: string): (text: string) => boolean {
  const regex = compileRegex(pattern);
  if ('test' in regex) return (text) => regex.test(text);
  throw new Error(`the pattern is malformed: ${regex.message}`);
}

/** The types of a project, for whatever describes them. Problems were reported when the project was checked. */
export function typeModels(project: Project): readonly TypeModel[] {
  return decodeTypes(project, () => undefined);
}

/** The checkers of a project's types by name. */
export function compileProjectTypes(
  project: Project,
  expressions: Expressions,
  plugins?: Pick<PluginHost, 'validator'>,
): ReadonlyMap<string, Checker> {
  const validators = new Map(
    project.all('validator', validator).map(({ name, values }) => [name, compileValidator(name, values, expressions)]),
  );
  const find = (name: string) => plugins?.validator(name) ?? validators.get(name);
  return compileTypes(typeModels(project), { matcherOf, validator: find });
}

function compileValidator(
  name: string,
  { type, pattern, expr, message }: Values<typeof validator>,
  expressions: Expressions,
): ValidatorCheck {
  const says = message ?? `is refused by the validator "${name}"`;
  if (type === 'regex') {
    const matches = pattern === undefined ? () => false : matcherOf(pattern);
    return { message: says, holds: (value) => typeof value === 'string' && matches(value) };
  }
  // Without a service around it, a module is not asked, and refuses everything.
  if (type === 'wasm') return { message: says, holds: () => false };
  const expression = expr && expressions.expression(expr, `validator "${name}"`);
  return { message: says, holds: (value) => expression?.isTrue({ value }) === true };
}
