import type { Project, Report } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { specsOf } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { namesIn } from '../../../engine/flow/compile/written.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { verbOfDestination, verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import type { flow } from '../../../engine/flow/spec.ts';
import { verbOfWord } from '../../../engine/flow/verb.ts';

type FlowValues = Values<typeof flow>;
type To = FlowValues['to'][number];
type Step = FlowValues['step'][number];

/** A flow that changes or deletes rows says which: every message fails that names none. */
export const checkRowAddresses: FlowRule = ({ name, values }, connectors, report) => {
  for (const step of values.step) checkStep(name, step, connectors, report);
  if (isAddressed(values, connectors) || values.batch !== undefined) return;
  const asked = verbOfFlow(values, connectors);
  const asksBody = connectors.get(values.from?.connector ?? '')?.spec?.source?.names === 'body';
  for (const to of values.to) {
    const verb = verbOfDestination(to, asked, connectors);
    if ((verb !== 'update' && verb !== 'delete') || (verb === 'update' && asksBody)) continue;
    if (!writesRows(to, connectors) || namesRow(values, to)) continue;
    report('missing-filter', `flow "${name}" ${does[verb]} rows, and nothing in it says which`, originOf(to), {
      severity: 'warning',
      help: asksBody
        ? 'Write a path such as DELETE /orders/:id, the key in transform or params, or the statement in query.'
        : 'Write the key of the row in transform or params, query_filter, or the statement in query.',
    });
  }
};

const does = { update: 'changes', delete: 'deletes' } as const;

/** Rows of a step are those of its own parameters. */
function checkStep(flow: string, step: Step, connectors: Project['connectors'], report: Report): void {
  const verb = verbOfWord(step.operation);
  if ((verb !== 'update' && verb !== 'delete') || !writesRows(step, connectors)) return;
  if (isWritten(step, 'query_filter') || (step.params !== undefined && namesIn(step.params)?.length !== 0)) return;
  const title = `step "${step.label}" of flow "${flow}"`;
  report('missing-filter', `${title} ${does[verb]} rows, and nothing in it says which`, originOf(step), {
    severity: 'warning',
    help: 'Write the key of the row in params, or the statement in query.',
  });
}

/** Whether a caller names the row: by a path, or by arguments of the operation. */
function isAddressed({ from, when }: FlowValues, connectors: Project['connectors']): boolean {
  if (from === undefined) return when === undefined;
  const source = connectors.get(from.connector);
  const spec = source?.spec?.source;
  if (source === undefined || spec === undefined || spec.names === 'arguments') return true;
  const operation = resolveOperation(source, from.operation)?.operation ?? from.operation;
  return (spec.parameters?.(operation ?? '') ?? []).length > 0;
}

function writesRows(to: To | Step, connectors: Project['connectors']): boolean {
  const connector = connectors.get(to.connector);
  if (connector === undefined) return false;
  const specs = specsOf(connector);
  const isTable = specs.some((spec) => dialectOf(spec) !== undefined || spec.kind === 'db');
  const named = resolveOperation(connector, to.operation);
  return isTable && (to.query ?? named?.query) === undefined && named === undefined && !isWritten(to, 'transaction');
}

function namesRow({ transform, state_transition }: FlowValues, to: To): boolean {
  if (isWritten(to, 'query_filter') || state_transition !== undefined) return true;
  if (to.params !== undefined || 'body' in to.words.evaluated) return true;
  return ((to.transform ?? transform)?.fields.length ?? 0) > 0;
}
