import { originOf, type Values } from '@svc/protocol/schema';
import { type AskingPlace, describeStage, lane, type StopPlace, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

/** Where enrichments stop, wherever they are written. */
export function enrichStops(enrichments: readonly Values<typeof spec.enrich>[]): readonly StopPlace[] {
  return enrichments.map((values) => {
    const { label, params, headers } = values;
    return stop('enrich', originOf(values), [...(params?.fields ?? []), ...(headers?.fields ?? [])], label);
  });
}

/** The connectors that they ask. */
export function enrichAsks(enrichments: readonly Values<typeof spec.enrich>[]): readonly AskingPlace[] {
  return enrichments.map((values) => ({ kind: 'enrich', title: `enrich "${values.label}"`, values }));
}

export const enrich = describeStage({
  key: 'enrich',
  word: 'enrich',
  block: spec.enrich,
  places: [lane('gather', ['enrich'], { stages: ['enrich'], detail: 'connector' })],
  stages: { enrich: { makes: ['answer', 'call'], gives: (frame, name) => frame.enriched[name] } },
  stops: enrichStops,
  asks: enrichAsks,
  work: 'piece',
  readsChecked: true,
});
