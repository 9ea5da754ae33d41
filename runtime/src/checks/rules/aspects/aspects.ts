import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { compileGlob } from '../../../engine/flow/aspects/glob.ts';
import type { AspectDeclaration } from '../../../engine/flow/aspects/selection.ts';
import { aspect, ownVariables, type Phase, phasesOf } from '../../../engine/flow/aspects/spec.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { sourcesIn } from '../../../engine/flow/sources-in.ts';
import { headerProblem } from '../../../platform/net/headers.ts';
import { readsVariable } from '../flows/cache-identity.ts';
import { warnOfEmpty } from '../flows/targets.ts';

/** Aspects match flows, and say what they do where that can be done. */
export const checkAspects: ProjectRule = (project, report) => {
  const aspects = project.all('aspect', aspect);
  if (aspects.length === 0) return;
  const names = flowNames(project);
  for (const each of aspects) {
    checkPatterns(each, names, report);
    checkPhase(each, report);
    checkVariables(each, report);
    checkHeaders(each, report);
    const { action } = each.values;
    if (action?.operation === '') warnOfEmpty(action, report);
  }
  checkBreakers(aspects, report);
};

/** The names of everything that runs as a flow, sagas included. */
export function flowNames(project: Project): readonly string[] {
  return flowsOf(project).map(({ name }) => name);
}

function checkPatterns({ name, values }: AspectDeclaration, names: readonly string[], report: Report): void {
  // What was refused is absent, though required.
  const patterns: readonly string[] | undefined = values.on;
  if (patterns === undefined) return;
  const at = originOf(values, 'on');
  if (patterns.length === 0)
    report('missing-attribute', `aspect "${name}" names no flow`, at, { help: 'Write on = ["create_*"].' });
  for (const pattern of patterns) {
    const glob = compileGlob(pattern);
    if ('problem' in glob)
      report('invalid-pattern', `"${pattern}" is not a pattern: ${glob.problem}`, at, {
        help: 'Write * for any text, ? for one letter, [a-z] for one of a class, and a \\ before a letter that is meant itself.',
      });
    else if (!names.some(glob.matches))
      report('matches-nothing', `the pattern "${pattern}" of aspect "${name}" matches no flow`, at, {
        severity: 'warning',
        help: names.length === 0 ? 'There is no flow yet.' : `These exist: ${names.join(', ')}.`,
      });
  }
}

/** Each block is written only where it would have an effect. */
function checkPhase({ name, values }: AspectDeclaration, report: Report): void {
  const phase: Phase | undefined = values.when;
  if (phase === undefined) return;
  for (const [word, phases] of Object.entries(phasesOf))
    if (isWritten(values, word) && !phases.includes(phase))
      report('wrong-phase', `aspect "${name}" runs ${phase}, where ${word} does nothing`, originOf(values, word), {
        help: `Write when = ${phases.map((each) => `"${each}"`).join(' or ')}, or remove the block.`,
      });
}

/** Variables that are empty at this moment. */
const presentIn: Readonly<Record<string, Phase>> = { result: 'after', error: 'on_error', drop: 'on_drop' };

function checkVariables({ name, values }: AspectDeclaration, report: Report): void {
  const phase: Phase | undefined = values.when;
  if (phase === undefined) return;
  const empty = ownVariables.filter((variable) => (presentIn[variable] ?? phase) !== phase);
  for (const source of sourcesIn(values))
    for (const variable of empty)
      if (readsVariable(source, variable))
        report('empty-variable', `aspect "${name}" runs ${phase}, where ${variable} is empty`, source.origin, {
          severity: 'warning',
          help: `It is there when = "${presentIn[variable]}".`,
        });
}

function checkHeaders({ values }: AspectDeclaration, report: Report): void {
  const { response } = values;
  for (const [name, value] of Object.entries(response?.headers ?? {})) {
    const problem = headerProblem(name, value);
    if (response !== undefined && problem !== undefined)
      report('malformed-header', `this header cannot be sent: ${problem}`, originOf(response, 'headers'));
  }
}

type BreakerBlock = NonNullable<Values<typeof aspect>['circuit_breaker']>;

/** One breaker has one idea of when it opens. */
function checkBreakers(aspects: readonly AspectDeclaration[], report: Report): void {
  const first = new Map<string, BreakerBlock>();
  for (const { values } of aspects) {
    const breaker = values.circuit_breaker;
    if (breaker?.name === undefined) continue;
    const known = first.get(breaker.name);
    if (known === undefined) first.set(breaker.name, breaker);
    else if (settingsOf(known) !== settingsOf(breaker))
      report(
        'contradicting-breakers',
        `the circuit breaker "${breaker.name}" is written with other numbers elsewhere`,
        originOf(breaker, 'name'),
        {
          severity: 'warning',
          help: 'Breakers of one name are one: give them the same numbers, or another name.',
          related: [{ message: 'written first here', ...originOf(known, 'name') }],
        },
      );
  }
}

function settingsOf({ failure_threshold: failures, success_threshold: successes, timeout }: BreakerBlock): string {
  return [failures, successes, timeout].join(' ');
}
