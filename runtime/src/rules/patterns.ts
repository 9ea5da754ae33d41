import { compileRegex } from '@svc/protocol/cel';
import type { Project, ProjectRule } from '@svc/protocol/model';
import { type Origin, originOf, type Values } from '@svc/protocol/schema';
import type { param } from '../connectors/spec.ts';
import { validator } from '../flow/stages/validate/spec.ts';

/** Regular expressions that cannot be read: of validators, and of parameters of named operations. */
export const checkPatterns: ProjectRule = (project, report) => {
  const check = (pattern: string | undefined, at: () => Origin) => {
    const problem = pattern === undefined ? undefined : patternProblem(pattern);
    if (problem !== undefined)
      report('malformed-pattern', `this is no regular expression: ${problem}`, at(), {
        help: 'Patterns are written in RE2 syntax: no look-around, no back-references.',
      });
  };
  for (const { values } of project.all('validator', validator))
    check(values.pattern, () => originOf(values, 'pattern'));
  for (const values of parametersOf(project)) check(values.pattern, () => originOf(values, 'pattern'));
};

/** Why a pattern cannot be read; undefined when it can. */
export function patternProblem(pattern: string): string | undefined {
  const compiled = compileRegex(pattern);
  return 'message' in compiled ? compiled.message : undefined;
}

function parametersOf(project: Project): readonly Values<typeof param>[] {
  const connectors = [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
  return connectors
    .flatMap(({ operations }) => [...operations.values()])
    .flatMap(({ values }) => (values as unknown as { param?: readonly Values<typeof param>[] }).param ?? []);
}
