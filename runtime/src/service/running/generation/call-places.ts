import type { Project } from '@svc/protocol/model';
import { flowsOf, sagaOf } from '../../../engine/flow/declarations.ts';
import { askingPlaces } from '../../../engine/flow/pipeline/stages.ts';
import { sagaPlaces } from '../../../engine/flow/sagas/places.ts';
import type { CallPlace } from '../../../platform/telemetry/tracing.ts';

type Stages = ReadonlyMap<string, CallPlace>;

/**
 * Which connector each stage of each flow asks, by stage and label, as the engine announces them: `step` and `enrich` with
 * their label, `read` and `write` with the destination's target, label or connector.
 */
export function callPlaces(project: Project): (flowName: string, stage: string, name: string) => CallPlace | undefined {
  const flows = new Map<string, Stages>();
  const typeOf = (connector: string) => project.connectors.get(connector)?.spec?.canonical ?? 'profile';
  for (const declaration of flowsOf(project)) {
    const { name, values } = declaration;
    const saga = sagaOf(declaration);
    const stages = new Map<string, CallPlace>();
    const add = (stage: string, label: string, connector: string, verb: CallPlace['verb'], target?: string) =>
      void stages.set(`${stage} ${label}`, { connector, type: typeOf(connector), verb, target });
    for (const place of saga ? [] : askingPlaces(values))
      if (place.kind === 'step' || place.kind === 'enrich')
        add(place.kind, place.values.label, place.values.connector, 'call');
    for (const place of saga ? sagaPlaces(saga) : [])
      if (place.values.connector !== undefined) add('step', place.name, place.values.connector, 'call');
    for (const { connector, target, label } of destinationsOf(values.to)) {
      if (connector === undefined) continue;
      const named = target?.kind === 'constant' ? String(target.value) : undefined;
      for (const key of [connector, label, named]) {
        if (key === undefined) continue;
        add('read', key, connector, 'read', named);
        add('write', key, connector, 'write', named);
      }
    }
    flows.set(name, stages);
  }
  return (flowName, stage, name) => flows.get(flowName)?.get(`${stage} ${name}`);
}

interface Destination {
  readonly connector?: string | undefined;
  readonly target?: { readonly kind: string; readonly value?: unknown } | undefined;
  readonly label?: string | undefined;
}

function destinationsOf(to: unknown): readonly Destination[] {
  if (to === undefined) return [];
  return (Array.isArray(to) ? to : [to]) as readonly Destination[];
}
