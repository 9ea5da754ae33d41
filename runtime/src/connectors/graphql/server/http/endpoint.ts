import type { ExecutionResult } from 'graphql';
import type { HttpExchange, HttpRoute } from '../../../../contracts/http.ts';
import { Failure } from '../../../../errors/failure.ts';
import { decodeBody } from '../../../../formats/decode.ts';
import { json } from '../../../../formats/registry.ts';
import { readBody } from '../../../../http/body/body.ts';
import type { Documents } from '../execution/documents.ts';
import { formatError } from '../execution/errors.ts';
import { type GraphqlRequest, requestOf } from './request.ts';

/** What the endpoint is made of. */
export interface EndpointOptions {
  readonly path: string;
  /** Bytes. */
  readonly maxBody: number;
  readonly production: boolean;
  readonly documents: () => Documents;
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
  const prepared = options.documents().prepare(request.query, request.operationName);
  if (!('execute' in prepared)) return send(exchange, { errors: prepared }, options);
  const sent = (result: ExecutionResult) => {
    try {
      send(exchange, result, options);
    } catch (error) {
      exchange.refuse(error);
    }
  };
  const refuse = (error: unknown) => exchange.refuse(error);
  try {
    const result = prepared.execute(exchange, request.variables);
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
