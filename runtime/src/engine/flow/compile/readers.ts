import type { FlowModel } from '../model.ts';
import { type FoundSource, findSources } from '../sources-in.ts';
import type { FlowTools } from '../tools.ts';

/** Whether any expression of the flow reads the result of a step or an enrichment, so that its integers must be exact. */
export function stepReaders(
  { values }: FlowModel,
  tools: FlowTools,
): { step(name: string): boolean; enrichment(name: string): boolean } {
  const reads = readsIn(findSources(values), tools);
  return {
    step: (name) => reads(['step', name]),
    enrichment: (name) => reads(['enriched', name]),
  };
}

/** Whether `response` or `after` reads what the destination answers. */
export function answerReaders({ values }: FlowModel, tools: FlowTools): boolean {
  return readsIn([...findSources(values.response), ...findSources(values.after)], tools)(['output']);
}

/** Whether what follows the flow reads what it answers; `blocks` are the decoded aspects. */
export function resultReaders(blocks: readonly object[], tools: FlowTools): boolean {
  const reads = readsIn(findSources(blocks), tools);
  return reads(['result', 'data']) || reads(['input', 'result']);
}

function readsIn(found: readonly FoundSource[], tools: FlowTools): (path: readonly string[]) => boolean {
  const expressions = found.map(({ source, variables }) => tools.expression(source, '', variables));
  return (path) => expressions.some((expression) => expression.reads(path));
}
