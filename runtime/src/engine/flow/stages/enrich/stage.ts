import type { Values } from '@svc/protocol/schema';
import type { StepPart } from '../../message/part.ts';
import { type FlowModel, shapesRows } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileEnrichment } from './enrichment.ts';
import type { enrich as spec } from './spec.ts';

/**
 * Every enrichment of a flow: its own, then those of its transform; of equal names the later one
 * (docs/specification/flow.md#enrichments).
 */
export function enrichmentsOf({ values }: FlowModel): readonly Values<typeof spec>[] {
  const all = [...values.enrich, ...(values.transform?.enrich ?? [])];
  return all.filter(({ label }, at) => !all.some((other, later) => later > at && other.label === label));
}

/** Enrichments that run once, before the transform. Those of a read by table run per row. */
export function enrich(model: FlowModel, tools: FlowTools, isRead: (name: string) => boolean): StepPart[] {
  if (shapesRows(model)) return [];
  return enrichmentsOf(model).map((values) => ({
    stage: 'enrich',
    name: values.label,
    title: `enrich "${values.label}"`,
    ...compileEnrichment(model.name, values, tools, isRead(values.label)),
  }));
}
