import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { type FlowDeclaration, flowsOf } from './declarations.ts';

/** A check of one flow that reads nothing else but connectors. */
export type FlowRule = (flow: FlowDeclaration, connectors: Project['connectors'], report: Report) => void;

/**
 * Checks of every flow. Their reports on a flow are cached as long as the flow and all connectors are the same objects,
 * so that a small change of a project is checked quickly.
 */
export function everyFlow(checks: readonly FlowRule[]): ProjectRule {
  const known = new WeakMap<FlowDeclaration, Judged>();
  return (project, report) => {
    const { connectors } = project;
    for (const flow of flowsOf(project)) {
      let judged = known.get(flow);
      if (judged?.connectors !== connectors) {
        const problems: Parameters<Report>[] = [];
        for (const check of checks) check(flow, connectors, (...problem) => problems.push(problem));
        judged = { connectors, problems };
        known.set(flow, judged);
      }
      for (const problem of judged.problems) report(...problem);
    }
  };
}

interface Judged {
  readonly connectors: Project['connectors'];
  readonly problems: readonly Parameters<Report>[];
}
