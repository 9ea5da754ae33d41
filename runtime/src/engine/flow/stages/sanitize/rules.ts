import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { compileGlob } from '../../aspects/glob.ts';
import { flowsOf } from '../../declarations.ts';
import { security } from './spec.ts';

/** Checks that limits for single flows name existing flows and sanitizers, and the patterns of sanitizers. */
export const checkSecurity: ProjectRule = (project, report) => {
  const names = new Set(flowsOf(project).map(({ name }) => name));
  const block = project.one('security', security);
  const sanitizers = new Set([
    ...(block?.sanitizer ?? []).map(({ label }) => label),
    ...(project.vocabulary.provided?.['sanitizer'] ?? []),
  ]);
  for (const values of block?.sanitizer ?? [])
    for (const pattern of values.apply_to ?? []) {
      const glob = compileGlob(pattern);
      if ('problem' in glob)
        report(
          'invalid-pattern',
          `the pattern "${pattern}" is malformed: ${glob.problem}`,
          originOf(values, 'apply_to'),
        );
    }
  for (const limits of block?.flow ?? []) {
    for (const name of limits.sanitizers ?? [])
      if (!sanitizers.has(name))
        report('unknown-sanitizer', `there is no sanitizer named "${name}"`, originOf(limits, 'sanitizers'), {
          help: sanitizers.size === 0 ? 'Declare a sanitizer block.' : `These exist: ${[...sanitizers].join(', ')}.`,
        });
    if (names.has(limits.label)) continue;
    const near = closest(limits.label, names);
    report('unknown-flow', `there is no flow named "${limits.label}"`, originOf(limits), {
      help: near === undefined ? 'Name a flow, or remove the block.' : `Did you mean "${near}"?`,
    });
  }
};
