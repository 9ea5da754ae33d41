import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type ArgumentSource, originOf, type WrittenCall } from '@svc/protocol/schema';
import { resolveOperation } from '../../connectors/operations.ts';
import { writtenWords } from '../../flow/compile/written.ts';
import type { FlowDeclaration } from '../../flow/declarations.ts';
import type { FlowRule } from '../../flow/every-flow.ts';
import { verbOfWord } from '../../flow/verb.ts';
import { type TargetPlace, targetPlaces } from './flow-places.ts';
import { verbOfDestination, verbOfFlow } from './flow-verb.ts';

/** A connector may know of a call that it cannot be carried out, whatever the message. */
export const checkWrittenCalls: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    const check = connector?.spec?.target?.checkCall;
    if (connector === undefined || check === undefined) continue;
    const call = callOf(place, flow, connector, connectors);
    if (call.operation !== undefined && connector.spec?.target?.checkOperation?.(call.operation) !== undefined)
      continue;
    const problem = check(call, connector.values);
    if (problem === undefined || problem === connector.spec?.target?.checkTarget?.(call.target ?? '')) continue;
    report('malformed-call', `${place.title} of flow "${flow.name}": ${problem}`, originOf(place.values, 'connector'));
  }
};

function callOf(
  place: TargetPlace,
  flow: FlowDeclaration,
  connector: ConnectorDeclaration,
  connectors: Project['connectors'],
): WrittenCall {
  const { values } = place;
  const target = 'target' in values && values.target?.kind === 'constant' ? String(values.target.value) : undefined;
  const byOperation = resolveOperation(connector, values.operation);
  const named = byOperation ?? resolveOperation(connector, target);
  const operation = named ? named.operation : place.kind === 'enrich' ? undefined : values.operation;
  const verb =
    place.kind === 'to'
      ? verbOfDestination(place.values, verbOfFlow(flow.values, connectors), connectors)
      : (verbOfWord(operation) ?? 'read');
  const { body, query_filter, headers } = values as {
    body?: ArgumentSource;
    query_filter?: ArgumentSource;
    headers?: { readonly fields: readonly { readonly name: string }[] };
  };
  return {
    verb,
    operation,
    target: named?.target ?? (named === byOperation ? target : undefined),
    named: named?.own,
    written: writtenWords(values.words, { query_filter, ...(place.kind !== 'to' && { body }) }),
    words: values.words.fixed,
    headers: headers?.fields.map(({ name }) => name),
  };
}
