import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { sagaOf } from '../flow/declarations.ts';
import type { FlowRule } from './every-flow.ts';

/** Names that other blocks can use as they are written. */
export const checkNames: ProjectRule = (project, report) => {
  for (const { name, nameOrigin } of project.connectors.values())
    if (name.startsWith('connector.'))
      report('malformed-name', `the name "${name}" could not be told from connector "${name.slice(10)}"`, nameOrigin, {
        help: 'Leave out "connector." in the name.',
      });
};

/** Names of results that can be written behind a dot. */
export const checkResultNames: FlowRule = (flow, _connectors, report) => {
  const { values } = flow;
  const results = [
    ...(sagaOf(flow)?.values.step ?? []).map((one) => ['step', one] as const),
    ...values.step.map((one) => ['step', one] as const),
    ...values.enrich.map((one) => ['enriched', one] as const),
    ...(values.transform?.enrich ?? []).map((one) => ['enriched', one] as const),
  ];
  for (const [variable, result] of results)
    if (!/^[A-Za-z_]\w*$/.test(result.label))
      report('unreadable-name', `"${result.label}" cannot be written behind a dot in expressions`, originOf(result), {
        severity: 'warning',
        help: `Use letters, digits and underscores, or read it as ${variable}["${result.label}"].`,
      });
};
