import type { ExecutionResult, GraphQLError } from 'graphql';
import { ContentOwner } from '../../../../foundation/contracts/content.ts';
import type { HttpExchange, HttpRoute } from '../../../../foundation/contracts/http.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { json } from '../../../../platform/formats/registry.ts';
import { readBody } from '../../../../platform/http/body/body.ts';
import { type MediaType, parseMediaType } from '../../../../platform/http/body/media-type.ts';
import type { ErrorForm } from '../execution/errors.ts';
import type { Asker } from '../execution/field-message.ts';
import type { Prepared } from '../execution/prepared.ts';
import { type EventStreams, notHere, takesEvents } from '../subscriptions/event-stream.ts';
import { type AnswerType, answerTypeOf, responseType } from './accept.ts';
import { type GraphqlRequest, requestOf, requestOfQuery } from './request.ts';
import { readUpload } from './uploads.ts';

/** What the endpoint is made of. */
export interface EndpointOptions {
  readonly path: string;
  /** Bytes. */
  readonly maxBody: number;
  /** Bytes of a form with files; undefined: no forms are taken. */
  readonly maxUpload: number | undefined;
  readonly errors: ErrorForm;
  /** The errors of a request, or what runs it. */
  readonly prepare: (request: GraphqlRequest) => Prepared | readonly GraphQLError[];
  /** What streams events; undefined where callers may not subscribe. */
  readonly streams: EventStreams | undefined;
}

/** Failures of requests that are answered in the shape of GraphQL; others have the form of every server. */
const ofRequests: ReadonlySet<FailureCode> = new Set([
  'body_undecodable',
  'value_refused',
  'media_type_unsupported',
  'method_not_allowed',
]);

/** A request and how it is answered. */
interface Asking {
  readonly exchange: HttpExchange;
  readonly type: AnswerType;
}

/** GraphQL over HTTP at one path (docs/graphql.md#requests). */
export function endpointRoutes(options: EndpointOptions): readonly HttpRoute[] {
  const endpoint = new Endpoint(options);
  const { path } = options;
  return [
    { method: 'POST', path, handle: (exchange) => endpoint.post(exchange) },
    { method: 'GET', path, handle: (exchange) => endpoint.get(exchange) },
    { method: 'HEAD', path, handle: (exchange) => endpoint.get(exchange) },
  ];
}

class Endpoint {
  readonly #options: EndpointOptions;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  get(exchange: HttpExchange): void {
    const asking = askingOf(exchange);
    let request: GraphqlRequest;
    try {
      request = requestOfQuery(exchange.query);
    } catch (error) {
      return this.#refuse(asking, error);
    }
    this.#run(asking, request, undefined);
  }

  post(exchange: HttpExchange): void {
    const asking = askingOf(exchange);
    const { maxBody, maxUpload } = this.#options;
    let type: MediaType;
    try {
      type = bodyTypeOf(exchange, maxUpload !== undefined);
    } catch (error) {
      return this.#refuse(asking, error);
    }
    if (maxUpload !== undefined && type.type !== 'application/json') return this.#upload(asking, maxUpload);
    readBody(exchange, maxBody, (bytes) => {
      if (bytes instanceof Failure) return this.#refuse(asking, bytes);
      let body: unknown;
      try {
        body = decodeBody(json, bytes, { charset: type.parameters.get('charset') });
      } catch (error) {
        return this.#refuse(asking, error);
      }
      if (!(body instanceof Promise)) return this.#answer(asking, body, undefined);
      body.then(
        (late) => this.#answer(asking, late, undefined),
        (error: unknown) => this.#refuse(asking, error),
      );
    });
  }

  #upload(asking: Asking, limit: number): void {
    readUpload(asking.exchange, limit).then(
      ({ body, kept }) => {
        const contents = new ContentOwner();
        contents.own(kept);
        const { response } = asking.exchange;
        if (response.closed) contents.release();
        else response.once('close', () => contents.release());
        this.#answer(asking, body, contents);
      },
      (error: unknown) => this.#refuse(asking, error),
    );
  }

  #answer(asking: Asking, body: unknown, contents: ContentOwner | undefined): void {
    let request: GraphqlRequest;
    try {
      request = requestOf(body);
    } catch (error) {
      return this.#refuse(asking, error);
    }
    this.#run(asking, request, contents);
  }

  #run(asking: Asking, request: GraphqlRequest, contents: ContentOwner | undefined): void {
    const { exchange } = asking;
    const refuse = (error: unknown) => exchange.refuse(error);
    const streams = takesEvents(exchange) ? this.#options.streams : undefined;
    const send = (result: ExecutionResult) => {
      try {
        if (streams === undefined) this.#send(asking, result);
        else streams.answer(exchange, result);
      } catch (error) {
        refuse(error);
      }
    };
    try {
      const prepared = this.#options.prepare(request);
      if (!('execute' in prepared)) return send({ errors: prepared });
      if (prepared.kind === 'subscription') {
        if (streams === undefined) return send({ errors: [notHere(this.#options.streams)] });
        void streams.subscribe(exchange, request, prepared);
        return;
      }
      const refusal = refusedMethod(exchange, prepared);
      if (refusal !== undefined) return this.#refuse(asking, refusal, ['allow', 'OPTIONS, POST']);
      const asker = contents === undefined ? exchange : new UploadingAsker(exchange, contents);
      const result = prepared.execute(asker, request.variables);
      if (result instanceof Promise) result.then(send, refuse);
      else send(result);
    } catch (error) {
      refuse(error);
    }
  }

  /** What was not carried out has no data; its status says so to callers that ask for the type that has one. */
  #send({ exchange, type }: Asking, { data, errors }: ExecutionResult): void {
    const formatted = errors && { errors: this.#options.errors.all(errors) };
    const status = data === undefined && type === responseType ? 400 : 200;
    const body = JSON.stringify({ ...(data !== undefined && { data }), ...formatted });
    exchange.send(status, contentTypes[type], body);
  }

  #refuse({ exchange, type }: Asking, error: unknown, headers?: readonly string[]): void {
    const failure = asFailure(error);
    if (!ofRequests.has(failure.code)) return exchange.refuse(failure, headers);
    const body = JSON.stringify(this.#options.errors.request(failure));
    exchange.send(failure.kind.status, contentTypes[type], body, headers);
  }
}

/** The request of fields that are asked with files. */
class UploadingAsker implements Asker {
  readonly #exchange: HttpExchange;
  readonly #contents: ContentOwner;

  constructor(exchange: HttpExchange, contents: ContentOwner) {
    this.#exchange = exchange;
    this.#contents = contents;
  }

  get auth() {
    return this.#exchange.auth;
  }

  get request() {
    return this.#exchange.request;
  }

  get timeout() {
    return this.#exchange.timeout;
  }

  get cancelled() {
    return this.#exchange.cancelled;
  }

  signal() {
    return this.#exchange.signal();
  }

  hold() {
    return this.#exchange.hold();
  }

  contents = () => this.#contents;
}

const contentTypes: Readonly<Record<AnswerType, string>> = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};

function askingOf(exchange: HttpExchange): Asking {
  return { exchange, type: answerTypeOf(exchange.request.headers.accept) };
}

/** Any page can send a body of another type without asking first: such a request never runs. */
function bodyTypeOf({ request: { headers } }: HttpExchange, forms: boolean): MediaType {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported(`a body with Content-Encoding ${encoding} is not accepted`);
  const written = headers['content-type'];
  if (written === undefined) throw unsupported('a POST must say its Content-Type, application/json');
  const type = parseMediaType(written);
  if (type === undefined) throw unsupported('the Content-Type of the body is malformed');
  if (type.type === 'application/json') return type;
  if (type.type !== 'multipart/form-data')
    throw unsupported(`a body of type ${type.type} is not accepted; send application/json`);
  if (!forms) throw unsupported('forms with files are not accepted; `uploads = true` of the connector takes them');
  return type;
}

/** Why the operation of a document may not be asked for in this way. */
function refusedMethod({ request: { method } }: HttpExchange, { kind }: Prepared): Failure | undefined {
  if (kind === 'query' || method === 'POST') return undefined;
  return new Failure('method_not_allowed', `a ${kind} is sent by POST; ${method} is for queries`);
}

function unsupported(message: string): Failure {
  return new Failure('media_type_unsupported', message);
}
