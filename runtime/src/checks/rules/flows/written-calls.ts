import type { ConnectorDeclaration, Project, Report } from '@svc/protocol/model';
import { type ArgumentSource, isWritten, originOf, type WrittenCall } from '@svc/protocol/schema';
import { specsOf, takesMessages } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { namesIn, writtenWords } from '../../../engine/flow/compile/written.ts';
import type { FlowDeclaration } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { type TargetPlace, targetPlaces } from '../../../engine/flow/flow-places.ts';
import { verbOfDestination, verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import { verbOfWord } from '../../../engine/flow/verb.ts';

/** A connector may know of a call that it cannot be carried out, whatever the message. Each profile is asked for itself. */
export const checkWrittenCalls: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    if (connector === undefined) continue;
    for (const declared of declarationsOf(connector)) checkPlace(place, flow, connector, declared, connectors, report);
  }
};

/** The connector, or its profiles. */
function declarationsOf(connector: ConnectorDeclaration): readonly ConnectorDeclaration[] {
  return connector.spec === undefined ? [...connector.profiles.values()] : [connector];
}

function checkPlace(
  place: TargetPlace,
  flow: FlowDeclaration,
  connector: ConnectorDeclaration,
  declared: ConnectorDeclaration,
  connectors: Project['connectors'],
  report: Report,
): void {
  const { checkCall, checkOperation, checkTarget } = declared.spec?.target ?? {};
  if (checkCall === undefined) return;
  const { values, title } = place;
  if ('transaction' in values && values.transaction !== undefined) return;
  const call = callOf(place, flow, declared, connectors);
  if (call.operation !== undefined && checkOperation?.(call.operation) !== undefined) return;
  const found = checkCall(call, declared.values);
  if (found === undefined) return;
  const { word, problem } = typeof found === 'string' ? { word: 'connector', problem: found } : found;
  if (problem === checkTarget?.(call.target ?? '')) return;
  // What a named operation says is reported where it is written.
  if (call.named !== undefined && isWritten(call.named as never, word)) return;
  const inProfile = declared === connector ? '' : ` (profile "${declared.name}")`;
  const at = originOf(values, isWritten(values as never, word) ? word : 'connector');
  report('malformed-call', `${title} of flow "${flow.name}"${inProfile}: ${problem}`, at);
}

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
  // The operation of an enrichment is its target.
  const isTable = place.kind === 'enrich' && named === undefined;
  const operation = named ? named.operation : place.kind === 'enrich' ? undefined : values.operation;
  const query = ('query' in values ? (values.query as string | undefined) : undefined) ?? named?.query;
  const verb =
    place.kind === 'to'
      ? verbOfDestination(place.values, verbOfFlow(flow.values, connectors), connectors)
      : (verbOfWord(operation) ?? (place.kind === 'step' && takesMessages(specsOf(connector)) ? 'create' : 'read'));
  const { body, query_filter, params } = values as {
    readonly body?: ArgumentSource;
    readonly query_filter?: ArgumentSource;
    readonly params?: ArgumentSource;
  };
  const asked = place.kind === 'to' ? {} : { body, ...(place.kind === 'step' && { params }) };
  return {
    place: place.kind,
    verb,
    operation,
    query,
    target: named?.target ?? (isTable ? values.operation : named === byOperation ? target : undefined),
    named: named?.own,
    written: writtenWords(values.words, { query_filter, ...asked }),
    words: values.words.fixed,
    params: place.kind === 'enrich' ? (place.values.params?.fields ?? []).map(({ name }) => name) : namesIn(params),
  };
}
