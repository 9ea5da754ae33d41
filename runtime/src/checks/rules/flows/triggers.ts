import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { hookFlows } from '../../../engine/auth/hooks/flows.ts';
import { aspect } from '../../../engine/flow/aspects/spec.ts';
import { flow } from '../../../engine/flow/spec.ts';

/** Every flow is triggered by a message, by a schedule, or by something that calls it by its name. */
export const checkTriggers: ProjectRule = (project, report) => {
  let called: ReadonlySet<string | undefined> | undefined;
  for (const { name, values } of project.all('flow', flow)) {
    if (values.from !== undefined || values.when !== undefined) continue;
    called ??= new Set([
      ...project.all('aspect', aspect).map((each) => each.values.action?.flow),
      ...hookFlows(project),
    ]);
    if (called.has(name)) continue;
    report('missing-block', `flow "${name}" needs at least one of from, when`, originOf(values), {
      help: 'Nothing calls it by its name: write from, or name the flow in the action of an aspect or in a hook of auth.',
    });
  }
};
