import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { security } from '../flow/stages/sanitize/spec.ts';
import { flowsOf } from './flow-places.ts';

/** Limits for single flows name flows (supplement 2.10). */
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
