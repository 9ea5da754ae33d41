import type { IncomingMessage } from 'node:http';
import { Fields } from '@svc/protocol/cel';
import { ContentOwner } from '../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import type { Auth, Held, Message } from '../../foundation/contracts/message.ts';
import { copyOf } from '../../platform/formats/copy.ts';
import type { RequestBody } from './request-body.ts';
import type { ServerTiming } from './server-timing.ts';

/** One request as a flow receives it. */
export class RequestMessage implements Message {
  readonly input: Record<string, unknown>;
  readonly auth: Auth;
  readonly addressed: readonly string[];
  readonly queried: readonly string[] | undefined;
  readonly passes = true;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly stages: ServerTiming | undefined;
  readonly #exchange: HttpExchange;
  #owner: ContentOwner | undefined;

  constructor(exchange: HttpExchange, body: RequestBody, addressed: readonly string[], stages?: ServerTiming) {
    this.input = inputOf(exchange, body);
    this.auth = exchange.auth;
    this.addressed = addressed;
    this.queried = queriedOf(exchange);
    const { traceparent, tracestate } = exchange.request.headers;
    this.traceparent = textOf(traceparent);
    this.tracestate = textOf(tracestate);
    this.stages = stages;
    this.#exchange = exchange;
    this.#owner = undefined;
    if (body.kept !== undefined) this.contents().own(body.kept);
  }

  contents(): ContentOwner {
    return (this.#owner ??= new ContentOwner());
  }

  /** Called when the flow has ended and its answer was handed over, sent or not: contents go when that is over. */
  end(): void {
    const owner = this.#owner;
    if (owner === undefined) return;
    const { response } = this.#exchange;
    if (response.closed) owner.release();
    else response.once('close', () => owner.release());
  }

  signal(): AbortSignal {
    return this.#exchange.signal();
  }

  hold(): () => void {
    return this.#exchange.hold();
  }

  held(): Held {
    const { request, route, timeout: timeoutMs } = this.#exchange;
    return { kind: 'request', method: request.method ?? '', route: route.path, timeoutMs };
  }

  cancelled(): boolean {
    return this.#exchange.cancelled;
  }

  /** The same message for another flow, which runs whether the caller waits or not; `end` follows the end of the flow. */
  copy(): { readonly copy: Message; readonly end: () => void } {
    const { auth, addressed, queried, traceparent, tracestate } = this;
    const input = copyOf(this.input) as Record<string, unknown>;
    const owner = this.#owner;
    const contents = owner && (() => owner);
    return {
      copy: { input, auth, addressed, queried, traceparent, tracestate, contents, signal: () => undefined },
      end: owner?.hold() ?? (() => undefined),
    };
  }
}

/**
 * Body, query and path in one map, the later winning over the earlier: a path parameter addresses the row, so nothing
 * else may replace it. `headers` and `files` come from here alone.
 */
function inputOf(exchange: HttpExchange, { fields, files }: RequestBody): Record<string, unknown> {
  const input = new Fields();
  const { params, query } = exchange;
  if (fields !== undefined) for (const name of Object.keys(fields)) input[name] = fields[name];
  if (files !== undefined) for (const name of Object.keys(files)) input[name] = files[name];
  for (const name in query) input[name] = query[name];
  for (const name in params) input[name] = params[name];
  if (files !== undefined) input['files'] = files;
  else if ('files' in input) delete input['files'];
  input['headers'] = headersOf(exchange.request);
  return input;
}

/** Names that the query string gives and the path does not; undefined when there is no such name. */
function queriedOf({ params, query }: HttpExchange): readonly string[] | undefined {
  let names: string[] | undefined;
  for (const name in query) if (params === undefined || !Object.hasOwn(params, name)) (names ??= []).push(name);
  return names;
}

/** Headers by lower-case name; of a repeated one the first value. */
function headersOf({ headers, rawHeaders }: IncomingMessage): Record<string, string> {
  const map = new Fields() as Record<string, string>;
  let count = 0;
  for (const name in headers) {
    count++;
    map[name] = headers[name] as string;
  }
  if (2 * count === rawHeaders.length) return map;
  const first = new Fields() as Record<string, string>;
  for (let index = 0; index < rawHeaders.length; index += 2)
    first[(rawHeaders[index] as string).toLowerCase()] ??= rawHeaders[index + 1] as string;
  return first;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
