import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { CelSource } from '@svc/protocol/schema';
import type { Execute } from '../../../../foundation/contracts/target.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { compileArgument, evaluator } from '../../compile/argument.ts';
import { compileHeaders } from '../../compile/headers.ts';
import { compileTarget } from '../../compile/target.ts';
import { compileWords, deferredWords } from '../../compile/words.ts';
import { namesIn, writtenWords } from '../../compile/written.ts';
import { namesBytes } from '../../message/binary-answer.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { CallWords, FlowTools } from '../../tools.ts';
import { methodOf } from '../../verb.ts';
import { naming, pathFields } from './addressing.ts';
import type { Destination } from './destination.ts';
import { addressFilters, askedFields, type Fields, ownFields } from './payload.ts';

/**
 * Builds the request of one message. `payload` is what the destination gets; undefined when the message itself is the
 * payload.
 */
export type BuildRequest = (frame: Frame, payload: Fields | undefined) => FlowRequest;

/** The name of a destination in failures and debuggers. */
export function titleOf({ label }: Destination): string {
  return `to "${label}"`;
}

export function prepareDestination(model: FlowModel, to: Destination, tools: FlowTools, exact: boolean): Execute {
  return prepareCall(
    to.use,
    { ...describeDestination(model, to, exact), deferred: deferredWords(to.values.words, titleOf(to), tools) },
    tools,
    to.named,
  );
}

/** What a destination says of every message. */
export function describeDestination(model: FlowModel, to: Destination, exact: boolean): CallWords {
  const { verb, operation, query, values } = to;
  return {
    verb,
    operation,
    target: typeof to.target === 'string' ? to.target : undefined,
    query,
    words: values.words.fixed,
    fields: fieldsOf(model, to),
    written: writtenWords(values.words, { query_filter: values.query_filter }),
    headers: values.headers?.fields.map(({ name }) => name),
    timeout: to.named?.timeout,
    exact,
    binary: namesBytes(model.values.transform?.fields) || namesBytes(values.transform?.fields),
    flow: model.name,
    label: titleOf(to),
  };
}

/** Names of its route, of its transform, else of the types of the flow, and of its parameters. */
function fieldsOf({ operation, inputTypes, values }: FlowModel, to: Destination): readonly string[] {
  const route = methodOf(operation) === undefined ? [] : [...(operation ?? '').matchAll(/:(\w+)/g)];
  const transform = to.values.transform ?? (values.transform?.fields.length ? values.transform : undefined);
  const built = transform?.fields.map(({ name }) => name) ?? inputTypes.flatMap(({ fields }) => fields);
  return [...route.map(([, name]) => name as string), ...built, ...(namesIn(to.values.params) ?? [])];
}

/** Which parts of the message a destination is asked with, decided at start. */
export function compileRequest(model: FlowModel, to: Destination, tools: FlowTools): BuildRequest {
  const title = titleOf(to);
  const { values } = to;
  const expression = (source: CelSource, at: string) => tools.expression(source, at);
  const argument = (source: typeof values.params, name: string) =>
    source && evaluator(compileArgument(source, expression, `${title}: ${name}`, true));
  const target = compileTarget(to.target, title, tools);
  const params = argument(values.params, 'params');
  const ownFilters = argument(values.query_filter, 'query_filter');
  const headers = compileHeaders(values.headers, title, tools);
  const words = compileWords(values.words, title, tools);
  const place = placing(model, to);
  return (frame, payload) => {
    const request = new FlowRequest(frame);
    if (params !== undefined) request.params = params(frame) as Fields;
    place(request, frame, payload);
    if (typeof target === 'function') request.aim(target);
    if (ownFilters !== undefined) request.filters = { ...request.filters, ...(ownFilters(frame) as Fields) };
    if (headers !== undefined) request.headers = headers(frame);
    if (words !== undefined) request.words = words(frame);
    return request;
  };
}

type Place = (request: FlowRequest, frame: Frame, payload: Fields | undefined) => void;

/** Filters and payload by verb. A query takes its parameters from the payload first, then from the whole message. */
function placing(model: FlowModel, { verb, query, operation, target, named, use, values }: Destination): Place {
  if (query !== undefined) {
    return (request, frame, payload) => {
      request.filters = frame.input;
      request.payload = payload;
    };
  }
  // What can be called takes the payload with every verb: a request carries it in its query or its body.
  if (use.abilities.has('call') && (verb === 'read' || verb === 'delete')) {
    const built =
      (model.values.transform?.fields.length ?? 0) > 0 || (verb === 'delete' && values.transform !== undefined);
    const asked = askedFields(model, typeof target === 'object');
    const address = pathFields(model);
    return (request, frame, payload) => {
      request.address = address(frame);
      request.payload = built ? payload : asked(frame);
    };
  }
  switch (verb) {
    case 'read': {
      const method = methodOf(model.operation);
      const sendsAll = method === undefined || (method === 'QUERY' && methodOf(operation) === 'QUERY');
      const declared = named?.parameters?.names ?? [];
      return (request, frame) => {
        request.filters = sendsAll ? ownFields(frame) : addressFilters(frame);
        for (const name of declared)
          if (frame.input[name] !== undefined) request.filters = { ...request.filters, [name]: frame.input[name] };
      };
    }
    case 'create':
      return (request, _frame, payload) => {
        request.payload = payload;
      };
    case 'update':
    case 'delete': {
      const name = naming(model, { values });
      const isBuilt = model.values.transform?.fields.length || values.transform !== undefined;
      return (request, frame, payload) => {
        const filters = addressFilters(frame);
        request.filters = filters;
        request.naming = name(frame, payload, request.params as Fields | undefined);
        if (verb === 'update') request.payload = isBuilt ? payload : payload && withoutKeys(payload, filters);
      };
    }
  }
}

function withoutKeys(payload: Fields, keys: Fields): Fields {
  const rest: Fields = new EmptyFields();
  for (const name in payload) if (!Object.hasOwn(keys, name)) rest[name] = payload[name];
  return rest;
}
