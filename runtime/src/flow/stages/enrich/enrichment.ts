import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../connectors/contract.ts';
import { FlowRequest, prepareCall } from '../../call.ts';
import type { Frame } from '../../frame.ts';
import { compileHeaders } from '../../headers.ts';
import { Mapping } from '../../mapping.ts';
import { resultOf } from '../../result.ts';
import type { FlowTools } from '../../tools.ts';
import type { enrich } from './spec.ts';

/** Fetches one enrichment and keeps it in the frame. */
export type Enrichment = (frame: Frame) => undefined | Promise<undefined>;

/** A connector that can be called is called; another is read by table, with the parameters as filters (supplement 3.8). */
export function compileEnrichment(
  flow: string,
  values: Values<typeof enrich>,
  tools: FlowTools,
  exact: boolean,
): Enrichment {
  const { label: name } = values;
  const title = `enrich "${name}"`;
  const use = tools.connector(values.connector);
  const named = use.operation(values.operation);
  const operation = named ? named.operation : values.operation;
  const query = named?.query;
  const calls = query === undefined && use.abilities.has('call');
  const execute = prepareCall(
    use,
    {
      verb: calls ? 'call' : 'read',
      operation: calls ? operation : undefined,
      target: calls ? undefined : (named?.target ?? (query === undefined ? operation : undefined)),
      query,
      timeout: named?.timeout,
      exact,
      flow,
      label: title,
    },
    tools,
    named,
  );
  const params = new Mapping(
    (values.params?.fields ?? []).map((field) => ({
      name: field.name,
      expression: tools.expression(field.value, `${title}: params.${field.name}`),
    })),
  );
  const headers = compileHeaders(values.headers, title, tools);
  const keep = (frame: Frame, result: CallResult) => {
    frame.keepEnriched(name, resultOf(result, exact) ?? null);
    return undefined;
  };
  return (frame) => {
    const request = new FlowRequest(frame);
    const given = params.isEmpty ? undefined : params.fill(frame, params.start());
    if (calls || query !== undefined) request.params = given;
    else request.filters = given;
    if (headers !== undefined) request.headers = headers(frame);
    const result = execute(request);
    return result instanceof Promise ? result.then((settled) => keep(frame, settled)) : keep(frame, result);
  };
}
