import type { CelSource } from '@svc/protocol/schema';
import type { FlowModel } from './model.ts';
import { sourcesIn } from './sources-in.ts';
import type { FlowTools } from './tools.ts';

/** Whether any expression of the flow reads the result of a step or an enrichment, so that its integers must be exact. */
export function stepReaders(
  { values }: FlowModel,
  tools: FlowTools,
): { step(name: string): boolean; enrichment(name: string): boolean } {
  const reads = readsIn(sourcesIn(values), tools);
  return {
    step: (name) => reads(['step', name]),
    enrichment: (name) => reads(['enriched', name]),
  };
}

/** Whether `response` or `after` reads what the destination answers. */
export function answerReaders({ values }: FlowModel, tools: FlowTools): boolean {
  return readsIn([...sourcesIn(values.response), ...sourcesIn(values.after)], tools)(['output']);
}

function readsIn(sources: readonly CelSource[], tools: FlowTools): (path: readonly string[]) => boolean {
  const expressions = sources.map((source) => tools.expression(source, ''));
  return (path) => expressions.some((expression) => expression.reads(path));
}
