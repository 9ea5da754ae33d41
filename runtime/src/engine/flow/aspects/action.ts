import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import type { CallRequest, Verb } from '../../../foundation/contracts/target.ts';
import { maskedInput } from '../../../foundation/observe/masked-input.ts';
import { prepareCall } from '../calls/call.ts';
import { prepareFlowCall } from '../calls/call-flow.ts';
import type { Mapping } from '../compile/mapping.ts';
import { compileWords } from '../compile/words.ts';
import { writtenWords } from '../compile/written.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch } from '../message/part.ts';
import { whenDone } from '../message/when-done.ts';
import type { FlowModel } from '../model.ts';
import { sourcedNames, without } from '../stages/destination/addressing.ts';
import { inputPayload, messageFields } from '../stages/destination/payload.ts';
import { compilePayload } from '../stages/transform/stage.ts';
import type { FlowTools } from '../tools.ts';
import { resolveAction } from './action-target.ts';
import type { AspectScope } from './scope.ts';
import type { aspect } from './spec.ts';

type ActionBlock = NonNullable<Values<typeof aspect>['action']>;
type Fields = Record<string, unknown>;

/** The action of an aspect for one flow. */
export interface Action {
  /** Builds what is sent; undefined when the flow's input is. */
  readonly mapping: Mapping | undefined;
  /** Sends it. Throws or rejects when that failed. `watch` is notified of the fields of the payload. */
  readonly run: (frame: Frame, scope: AspectScope, watch: RuleWatch | undefined) => unknown;
}

/** Sends one payload; undefined means the flow's input. */
type Send = (frame: Frame, payload: Fields | undefined, scope: AspectScope) => unknown;

/**
 * Compiles an action. A `detached` one follows the end of the flow: it is carried out also when the caller that waited
 * for the flow has disconnected.
 */
export function compileAction(
  block: ActionBlock,
  title: string,
  detached: boolean,
  model: FlowModel,
  tools: FlowTools,
): Action {
  const mapping = block.transform && compilePayload(block.transform.fields, `${title}: transform`, tools);
  const send =
    block.flow === undefined
      ? toConnector(block, title, detached, model, tools)
      : toFlow(block.flow, title, detached, model, tools);
  return {
    mapping,
    run: (frame, scope, watch) => {
      if (mapping === undefined) return send(frame, undefined, scope);
      const payload = mapping.start();
      scope.output = payload;
      const filled = watch === undefined ? mapping.fill(scope, payload) : mapping.fillWatched(scope, payload, watch);
      return whenDone(filled, (fields) => send(frame, fields, scope));
    },
  };
}

function toFlow(name: string, title: string, detached: boolean, model: FlowModel, tools: FlowTools): Send {
  const call = prepareFlowCall(name, model.name, `${title} of flow "${model.name}"`, tools);
  const sourced = sourcedNames(model);
  return (frame, payload) => {
    if (payload !== undefined) return call(frame, { input: payload, detached });
    const { message } = frame;
    const { addressed, queried } = message;
    return call(frame, { input: messageFields(message), addressed, queried, sourced: sourced(message), detached });
  };
}

function toConnector(block: ActionBlock, title: string, detached: boolean, model: FlowModel, tools: FlowTools): Send {
  const use = tools.connector(block.connector as string);
  const { verb, operation, target, query, named } = resolveAction(block, use);
  const execute = prepareCall(
    use,
    {
      verb,
      operation: block.query === undefined ? operation : undefined,
      target,
      query,
      words: block.words.fixed,
      fields: block.transform?.fields.map(({ name }) => name) ?? [],
      written: writtenWords(block.words, {}),
      timeout: named?.timeout,
      flow: model.name,
      label: title,
    },
    tools,
    named,
  );
  const words = compileWords(block.words, title, tools);
  const ownPayload = inputPayload(model);
  const isQuery = query !== undefined;
  const isCalled = use.abilities.has('call');
  const isKept = verb === 'create' && !isQuery;
  const ownDraft = (message: Frame['message']): Fields => {
    const payload = ownPayload({ input: message.input, message });
    return isKept ? maskedInput(payload, message) : payload;
  };
  const sourced = sourcedNames(model);
  return (frame, built, scope) => {
    const payload = built ?? ownDraft(frame.message);
    const names = () => built ?? without(payload, new Set(sourced(frame.message)));
    const request = isQuery ? { filters: payload, payload } : placed(verb, payload, names, isCalled);
    return execute({ ...request, words: words?.(scope), ...about(frame, detached) });
  };
}

/**
 * The part of a request that holds the payload. Columns of the key name the row of an update, all fields those of a delete,
 * but for what the source says of its message (docs/specification/rows.md).
 */
function placed(
  verb: Verb,
  payload: Fields,
  names: () => Fields,
  isCalled: boolean,
): Pick<CallRequest, 'filters' | 'payload' | 'params' | 'naming'> {
  if (verb === 'call') return { params: payload };
  if (verb === 'create' || isCalled) return { payload };
  if (verb === 'delete') return { filters: names() };
  return { payload, naming: { made: names(), given: none, isCalled: false } };
}

const none: Fields = Object.freeze(new EmptyFields());

/** The properties of a request that come from its message. */
function about({ message }: Frame, detached: boolean): Partial<CallRequest> {
  const { input, traceparent, tracestate } = message;
  if (detached) return { input, traceparent, tracestate };
  const signal = message.signal();
  return { input, traceparent, tracestate, signal, cancelled: message.cancelled?.() ?? signal?.aborted ?? false };
}
