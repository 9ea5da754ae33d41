import { Fields } from '@svc/protocol/cel';
import type { CallRequest, Verb } from '../../../foundation/contracts/target.ts';
import { FlowRequest, prepareCall } from '../calls/call.ts';
import { resolveAsked } from '../compile/asked.ts';
import { type Draft, RequestRules } from '../compile/request-rules.ts';
import { writtenWords } from '../compile/written.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch, WatchedRule } from '../message/part.ts';
import { resultOf } from '../message/result.ts';
import { whenDone } from '../message/when-done.ts';
import type { ConnectorUse, FlowTools } from '../tools.ts';
import { verbOfStatement, verbOfWord } from '../verb.ts';
import type { ActionPlace } from './place.ts';

/** One compiled block that asks a connector, and the same with its expressions announced. */
export interface CompiledAction {
  readonly rules: readonly WatchedRule[];
  readonly run: (frame: Frame) => unknown;
  readonly runWatched: (frame: Frame, watch: RuleWatch) => unknown;
}

const nothing: CompiledAction = { rules: [], run: () => null, runWatched: () => null };

type Payload = Readonly<Record<string, unknown>>;

/** Decides what a block asks of its connector. Without a connector it does nothing and succeeds. */
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
      words: values.words.fixed,
      written: writtenWords(values.words, { body: values.body ?? values.data }),
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
    .words(values.words);
  const request = requestOf(verb, query !== undefined);
  const ask = (frame: Frame, draft: Draft): unknown => {
    const asked = request(frame, draft);
    if (typeof target === 'function') asked.aim(target);
    asked.words = draft.words;
    return whenDone(execute(asked), (result) => resultOf(result, true) ?? null);
  };
  return {
    rules: rules.watched(0),
    run: (frame) => whenDone(rules.fill(frame), (draft) => ask(frame, draft)),
    runWatched: (frame, watch) => whenDone(rules.fillWatched(frame, watch, 0), (draft) => ask(frame, draft)),
  };
}

/** A statement itself shows what it does, unless the operation states it. */
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
      made.payload = (draft.body ?? draft.data) as Payload | undefined;
      made.params = params;
    } else if (verb === 'read' && !isStatement) {
      made.filters = merged(params as Payload | undefined, where);
      made.payload = (draft.body ?? draft.data) as Payload | undefined;
    } else {
      const payload = (draft.data ?? draft.body) as Payload | undefined;
      made.payload = verb === 'update' ? merged(payload, draft.set as Payload | undefined) : payload;
      made.filters = where;
      made.params = params;
    }
    return made;
  };
}

function merged(under: Payload | undefined, over: Payload | undefined): Payload | undefined {
  if (under === undefined) return over;
  return over === undefined ? under : Object.assign(new Fields(), under, over);
}
