import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { WatchedRule } from '../../../../foundation/contracts/probe.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { type Draft, RequestRules } from '../../compile/request-rules.ts';
import { writtenWords } from '../../compile/written.ts';
import type { Frame } from '../../message/frame.ts';
import type { RuleWatch } from '../../message/part.ts';
import { resultOf } from '../../message/result.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowTools } from '../../tools.ts';
import { isAsking, verbOfStatement } from '../../verb.ts';
import type { enrich } from './spec.ts';

/** Fetches one enrichment and keeps it in the frame. */
export interface Enrichment {
  readonly rules: readonly WatchedRule[];
  readonly step: Fetch;
  readonly ruled: (watch: RuleWatch) => Fetch;
}

type Fetch = (frame: Frame) => undefined | Promise<undefined>;

/** Whether an enrichment certainly only reads. */
export function enrichmentOnlyReads(values: Values<typeof enrich>, tools: Pick<FlowTools, 'connector'>): boolean {
  const use = tools.connector(values.connector);
  if (use.runs) return false;
  const named = use.operation(values.operation);
  if (named?.query !== undefined) return verbOfStatement(named.query) === 'read';
  const operation = named ? named.operation : values.operation;
  return !use.abilities.has('call') || use.effect(operation) === 'reads' || isAsking(operation);
}

/** A connector that can be called is called; another is read by table, with the parameters as filters. */
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
      operation: calls ? operation : named?.operation,
      target: calls ? undefined : named ? named.target : operation,
      query,
      headers: values.headers?.fields.map(({ name }) => name),
      words: values.words.fixed,
      fields: values.params?.fields.map(({ name }) => name) ?? [],
      written: writtenWords(values.words, {}),
      timeout: named?.timeout,
      exact,
      flow,
      label: title,
    },
    tools,
    named,
  );
  const rules = new RequestRules(title, tools)
    .fields(values.params?.fields ?? [])
    .headers(values.headers)
    .words(values.words);
  const keep = (frame: Frame, result: CallResult) => {
    frame.keepEnriched(name, resultOf(result, exact) ?? null);
    return undefined;
  };
  const ask = (frame: Frame, { params, headers, words }: Draft) => {
    const request = new FlowRequest(frame);
    if (calls || query !== undefined) request.params = params;
    else request.filters = params as Record<string, unknown> | undefined;
    request.headers = headers;
    request.words = words;
    const result = execute(request);
    return result instanceof Promise ? result.then((settled) => keep(frame, settled)) : keep(frame, result);
  };
  return {
    rules: rules.watched(0),
    step: (frame) => whenDone(rules.fill(frame), (draft) => ask(frame, draft)),
    ruled: (watch) => (frame) => whenDone(rules.fillWatched(frame, watch, 0), (draft) => ask(frame, draft)),
  };
}
