import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { flowsOf } from '../../declarations.ts';
import { security } from './spec.ts';

/** Checks that limits for single flows name existing flows. */
export const checkSecurity: ProjectRule = (project, report) => {
  const names = new Set(flowsOf(project).map(({ name }) => name));
  for (const limits of project.one('security', security)?.flow ?? []) {
    if (names.has(limits.label)) continue;
    const near = closest(limits.label, names);
    report('unknown-flow', `there is no flow named "${limits.label}"`, originOf(limits), {
      help: near === undefined ? 'Name a flow, or remove the block.' : `Did you mean "${near}"?`,
    });
  }
};
