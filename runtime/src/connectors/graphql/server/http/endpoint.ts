import type { ExecutionResult, GraphQLError } from 'graphql';
import type { HttpExchange, HttpRoute } from '../../../../contracts/http.ts';
import { Failure } from '../../../../errors/failure.ts';
import { decodeBody } from '../../../../formats/decode.ts';
import { json } from '../../../../formats/registry.ts';
import { readBody } from '../../../../http/body/body.ts';
import type { Prepared } from '../execution/documents.ts';
import { formatError } from '../execution/errors.ts';
import { type EventStreams, noSubscriptions, takesEvents } from '../subscriptions/event-stream.ts';
import { type GraphqlRequest, requestOf } from './request.ts';

/** What the endpoint is made of. */
export interface EndpointOptions {
  readonly path: string;
  /** Bytes. */
  readonly maxBody: number;
  readonly production: boolean;
  /** The errors of a request, or what runs it. */
  readonly prepare: (request: GraphqlRequest) => Prepared | readonly GraphQLError[];
  /** What streams events; undefined where callers may not subscribe. */
  readonly streams: EventStreams | undefined;
}

const contentType = 'application/json; charset=utf-8';

/** Requests of GraphQL over HTTP. */
export function endpointRoutes(options: EndpointOptions): readonly HttpRoute[] {
  const { path, maxBody } = options;
  const post = (exchange: HttpExchange) =>
    readBody(exchange, maxBody, (bytes) => {
      if (bytes instanceof Failure) return exchange.refuse(bytes);
      let body: unknown;
      try {
        body = decodeBody(json, bytes);
      } catch (error) {
        return exchange.refuse(error);
      }
      if (!(body instanceof Promise)) return answer(exchange, body, options);
      body.then(
        (late) => answer(exchange, late, options),
        (error: unknown) => exchange.refuse(error),
      );
    });
  return [{ method: 'POST', path, handle: post }];
}

function answer(exchange: HttpExchange, body: unknown, options: EndpointOptions): void {
  let request: GraphqlRequest;
  try {
    request = requestOf(body);
  } catch (error) {
    return exchange.refuse(error);
  }
  const streams = takesEvents(exchange) ? options.streams : undefined;
  const give = (result: ExecutionResult) =>
    streams === undefined ? send(exchange, result, options) : streams.answer(exchange, result);
  const prepared = options.prepare(request);
  if (!('run' in prepared)) return give({ errors: prepared as readonly GraphQLError[] });
  if (prepared.kind === 'subscription') {
    if (streams === undefined) give({ errors: [noSubscriptions] });
    else void streams.subscribe(exchange, request, prepared);
    return;
  }
  const sent = (result: ExecutionResult) => {
    try {
      give(result);
    } catch (error) {
      exchange.refuse(error);
    }
  };
  const context = { asker: exchange, variables: request.variables, answers: new Map<string, unknown>() };
  const refuse = (error: unknown) => exchange.refuse(error);
  try {
    const result = prepared.run.query(undefined, context, request.variables);
    if (result instanceof Promise) result.then(sent, refuse);
    else sent(result);
  } catch (error) {
    refuse(error);
  }
}

function send(exchange: HttpExchange, { data, errors }: ExecutionResult, { production }: EndpointOptions): void {
  const formatted = errors && { errors: errors.map((error) => formatError(error, production)) };
  exchange.send(200, contentType, JSON.stringify({ ...(data !== undefined && { data }), ...formatted }));
}
