import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import type { ActionValues } from '../flow/action/place.ts';
import { type FlowDeclaration, sagaOf } from '../flow/declarations.ts';
import { sagaPlaces } from '../flow/saga-places.ts';

export { type FlowDeclaration, flowsOf, type SagaDeclaration, sagaOf } from '../flow/declarations.ts';

type FlowValues = FlowDeclaration['values'];

/** One block of a flow or a saga that uses a connector as a target. */
export type TargetPlace =
  | { readonly kind: 'to'; readonly title: string; readonly values: FlowValues['to'][number] }
  | { readonly kind: 'step'; readonly title: string; readonly values: FlowValues['step'][number] }
  | { readonly kind: 'batch'; readonly title: string; readonly values: NonNullable<FlowValues['batch']>['to'] }
  | { readonly kind: 'enrich'; readonly title: string; readonly values: FlowValues['enrich'][number] }
  | { readonly kind: 'action'; readonly title: string; readonly values: AskingValues };

/** A block of a saga that names a connector. */
export type AskingValues = ActionValues & { readonly connector: string };

/**
 * Every place of a flow that asks a connector, in written order, those inside its transform included; of a saga, in the
 * order in which they run.
 */
export function targetPlaces(flow: FlowDeclaration): readonly TargetPlace[] {
  const saga = sagaOf(flow);
  if (saga)
    return sagaPlaces(saga).flatMap(({ title, values }) => (asks(values) ? { kind: 'action', title, values } : []));
  const { values } = flow;
  const enrichments = [...values.enrich, ...(values.transform?.enrich ?? [])];
  return [
    ...values.step.map((step) => ({ kind: 'step', title: `step "${step.label}"`, values: step }) as const),
    ...enrichments.map((one) => ({ kind: 'enrich', title: `enrich "${one.label}"`, values: one }) as const),
    ...(values.batch?.to ? [{ kind: 'batch', title: 'to of the batch', values: values.batch.to } as const] : []),
    ...values.to.map((to) => ({ kind: 'to', title: 'to', values: to }) as const),
  ];
}

function asks(values: ActionValues): values is AskingValues {
  return values.connector !== undefined;
}

/** The specs that a connector may act by: its own, or those of its profiles. */
export function specsOf(connector: ConnectorDeclaration): readonly ConnectorSpec[] {
  if (connector.spec) return [connector.spec];
  return [...connector.profiles.values()].flatMap(({ spec }) => (spec ? [spec] : []));
}

/** How a connector is called in messages: `connector "db" (database sqlite)`. */
export function titleOf({ name, spec }: ConnectorDeclaration): string {
  const kind = spec === undefined ? 'profiles' : [spec.type, spec.driver].filter(Boolean).join(' ');
  return `connector "${name}" (${kind})`;
}
