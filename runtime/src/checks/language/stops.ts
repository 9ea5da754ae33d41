import type { Stop } from '@svc/protocol/language';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type FlowDeclaration, flowsOf, sagaOf } from '../../engine/flow/declarations.ts';
import { verbOfFlow } from '../../engine/flow/flow-verb.ts';
import type { StopContext } from '../../engine/flow/pipeline/descriptor.ts';
import { blockOf, hasWholeWork, isThere, pipeline } from '../../engine/flow/pipeline/stages.ts';
import type { Destination } from '../../engine/flow/stages/destination/destination.ts';
import { resolveDestinations } from '../../engine/flow/stages/destination/resolve.ts';
import { connectorUse } from '../../engine/plan/connector-use.ts';

/**
 * Every place where a flow or saga of the project can stop, in the order in which a message meets them. Flows
 * that are not finished have those of the blocks that are.
 */
export function flowStops(project: Project): readonly Stop[] {
  return flowsOf(project).flatMap((declaration) => stopsOf(declaration, project));
}

function stopsOf(declaration: FlowDeclaration, project: Project): readonly Stop[] {
  const { name: flow, values, nameOrigin: at } = declaration;
  const saga = sagaOf(declaration);
  const isReplaced = saga !== undefined || hasWholeWork(values);
  const destinations = () => (isReplaced ? [] : destinationsOf(values, project.connectors));
  const context: StopContext = { flow, at, project, saga, destinations };
  const found = pipeline.flatMap(({ word, stops }) => {
    if (word !== undefined && !isThere(values, word)) return [];
    return stops?.(blockOf(values, word), context) ?? [];
  });
  return found.flatMap(({ stage, name, at, rules }) => [
    { flow, stage, name, ruleIndex: undefined, ...placeOf(at) },
    ...rules.map(({ origin }, ruleIndex) => ({ flow, stage, name, ruleIndex, ...placeOf(origin) })),
  ]);
}

/** None while a connector of them is unknown. */
function destinationsOf(values: FlowDeclaration['values'], connectors: Project['connectors']): readonly Destination[] {
  if (values.to.some(({ connector }) => !connectors.has(connector ?? ''))) return [];
  const connector = (name: string) => connectorUse(connectors.get(name) as ConnectorDeclaration, undefined);
  return resolveDestinations(values, verbOfFlow(values, connectors), { connector });
}

function placeOf({ file, range: { start, end } }: FlowDeclaration['origin']): Pick<Stop, 'file' | 'range'> {
  return { file, range: { start, end } };
}
