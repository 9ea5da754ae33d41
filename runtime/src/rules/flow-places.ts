import type { ConnectorDeclaration, Declaration, Project } from '@svc/protocol/model';
import type { ConnectorSpec, Values } from '@svc/protocol/schema';
import { flow } from '../flow/spec.ts';

export type FlowDeclaration = Declaration<Values<typeof flow>>;
type FlowValues = Values<typeof flow>;

/** One block of a flow that uses a connector as a target. */
export type TargetPlace =
  | { readonly kind: 'to'; readonly title: string; readonly values: FlowValues['to'][number] }
  | { readonly kind: 'step'; readonly title: string; readonly values: FlowValues['step'][number] }
  | { readonly kind: 'batch'; readonly title: string; readonly values: NonNullable<FlowValues['batch']>['to'] }
  | { readonly kind: 'enrich'; readonly title: string; readonly values: FlowValues['enrich'][number] };

export function flowsOf(project: Project): readonly FlowDeclaration[] {
  return project.all('flow', flow);
}

/** Every place of a flow that asks a connector, in written order, those inside its transform included. */
export function targetPlaces({ values }: FlowDeclaration): readonly TargetPlace[] {
  const enrichments = [...values.enrich, ...(values.transform?.enrich ?? [])];
  return [
    ...values.step.map((step) => ({ kind: 'step', title: `step "${step.label}"`, values: step }) as const),
    ...enrichments.map((one) => ({ kind: 'enrich', title: `enrich "${one.label}"`, values: one }) as const),
    ...(values.batch?.to ? [{ kind: 'batch', title: 'to of the batch', values: values.batch.to } as const] : []),
    ...values.to.map((to) => ({ kind: 'to', title: 'to', values: to }) as const),
  ];
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
