import { Fields } from '@svc/protocol/cel';
import type { CallRequest, Verb } from '../../contracts/target.ts';
import { resolveAsked } from '../asked.ts';
import { FlowRequest, prepareCall } from '../call.ts';
import type { Frame } from '../frame.ts';
import type { RuleWatch, WatchedRule } from '../part.ts';
import { type Draft, RequestRules } from '../request-rules.ts';
import { resultOf } from '../result.ts';
import type { ConnectorUse, FlowTools } from '../tools.ts';
import { verbOfStatement, verbOfWord } from '../verb.ts';
import { whenDone } from '../when-done.ts';
import type { ActionPlace } from './place.ts';

/** One block that asks a connector, made ready, and the same with its expressions announced. */
export interface CompiledAction {
  readonly rules: readonly WatchedRule[];
  readonly run: (frame: Frame) => unknown;
  readonly runWatched: (frame: Frame, watch: RuleWatch) => unknown;
}

const nothing: CompiledAction = { rules: [], run: () => null, runWatched: () => null };

type Payload = Readonly<Record<string, unknown>>;

/** Decides what a block asks of its connector (supplement 2.2). Without a connector it does nothing and succeeds. */
export function compileAction(flow: string, { title, values }: ActionPlace, tools: FlowTools): CompiledAction {
  const { connector } = values;
  if (connector === undefined) return nothing;
  const { use, named, operation, query, target, place } = resolveAsked({ ...values, connector }, title, tools);
  const verb = verbOf(use, operation, query);

  const execute = prepareCall(
    use,
    {
      verb,
      operation: query === undefined ? operation : undefined,
      target: place,
      query,
      timeout: named?.timeout,
      exact: true,
      flow,
      label: title,
    },
    tools,
    named,
  );
  const rules = new RequestRules(title, tools)
    .argument('data', values.data)
    .argument('body', values.body)
    .argument('set', values.set)
    .argument('where', values.where)
    .argument('params', values.params)
    .argument('template', values.template)
    .argument('to', values.to);
  const request = requestOf(verb, query !== undefined);
  const ask = (frame: Frame, draft: Draft): unknown => {
    const asked = request(frame, draft);
    if (typeof target === 'function') asked.target = target(frame);
    return whenDone(execute(asked), (result) => resultOf(result, true) ?? null);
  };
  return {
    rules: rules.watched(0),
    run: (frame) => ask(frame, rules.fill(frame)),
    runWatched: (frame, watch) => whenDone(rules.fillWatched(frame, watch, 0), (draft) => ask(frame, draft)),
  };
}

/** A statement says itself what it does, unless the operation does. */
function verbOf({ abilities }: ConnectorUse, operation: string | undefined, query: string | undefined): Verb {
  if (/[/ ]/.test(operation ?? '') && abilities.has('call') && query === undefined) return 'call';
  const verb = verbOfWord(operation);
  if (verb !== undefined && verb !== 'read') return verb;
  return query === undefined ? 'read' : verbOfStatement(query);
}

/** Where the values of a block go. A statement finds its parameters in all of them, `params` first. */
function requestOf(verb: Verb, isStatement: boolean): (frame: Frame, draft: Draft) => FlowRequest {
  return (frame, draft) => {
    const made = new FlowRequest(frame);
    const params = draft.params as CallRequest['params'];
    const where = draft.where as Payload | undefined;
    if (verb === 'call') {
      made.payload = notified(draft, (draft.body ?? draft.data) as Payload | undefined);
      made.params = params;
    } else if (verb === 'read' && !isStatement) {
      made.filters = merged(params as Payload | undefined, where);
    } else {
      const payload = notified(draft, (draft.data ?? draft.body) as Payload | undefined);
      made.payload = verb === 'update' ? merged(payload, draft.set as Payload | undefined) : payload;
      made.filters = where;
      made.params = params;
    }
    return made;
  };
}

/** The payload of a notification carries its template and who receives it. */
function notified({ template, to }: Draft, payload: Payload | undefined): Payload | undefined {
  if (template === undefined && to === undefined) return payload;
  return merged(payload, { ...(template === undefined ? {} : { template }), ...(to === undefined ? {} : { to }) });
}

function merged(under: Payload | undefined, over: Payload | undefined): Payload | undefined {
  if (under === undefined) return over;
  return over === undefined ? under : Object.assign(new Fields(), under, over);
}
