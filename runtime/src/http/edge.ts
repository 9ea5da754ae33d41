import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type FastifyInstance, fastify, type HTTPMethods } from 'fastify';
import type { ConnectorServices } from '../contracts/connector.ts';
import type { BuiltinAnswer, HttpApplication } from '../contracts/http.ts';
import { asFailure } from '../errors/classify.ts';
import { Failure } from '../errors/failure.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { Exchange } from './exchange.ts';
import { RouteTable } from './route-table.ts';
import { Turns } from './turns.ts';

/** One method and path that is served. */
export interface Route {
  readonly method: string;
  /** Pattern in the router's own form: `/loans/:id`. */
  readonly path: string;
  /** Health and metrics are neither counted nor refused when the service is busy. */
  readonly builtin: boolean;
  /** Served without the connector's `auth`. */
  readonly open: boolean;
  /** Milliseconds for one answer; the shorter of this and the address's own counts. */
  readonly timeout?: number | undefined;
  /** Answers the exchange, now or later. */
  handle(exchange: Exchange): void;
}

/** What one address serves, and under which limits. Times in milliseconds. */
export interface EdgeOptions extends AdmissionOptions {
  /** Empty: every interface. */
  readonly host: string;
  readonly port: number;
  /** For one answer. */
  readonly timeout: number | undefined;
  readonly readTimeout: number;
  readonly writeTimeout: number;
  readonly idleTimeout: number;
  readonly maxConnections: number | undefined;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'] as const;
const never = Number.POSITIVE_INFINITY;
const acceptQuery = 'application/json, application/xml';
const noParams: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);

/**
 * The HTTP server of one connector in one generation, prepared but not listening: Fastify finds the route, `Admission`
 * stands in front of it. Routes read bodies themselves, since what a body means can depend on the flow, and refusals
 * must not wait for it.
 */
export class HttpEdge implements HttpApplication {
  readonly host: string;
  readonly port: number;
  readonly limits: HttpApplication['limits'];
  readonly production: boolean;
  handle: RequestListener = (_request, response) => response.destroy();
  readonly #options: EdgeOptions;
  readonly #services: ConnectorServices;
  readonly #admission: Admission;
  readonly #turns: Turns;
  readonly #table = new RouteTable();
  /** Routes at paths that are served for QUERY too, which tell so (RFC 10008). */
  readonly #queryable = new Set<Route>();
  readonly #routes: Route[] = [];
  readonly #app: FastifyInstance;
  readonly #unmatched: Route;
  /** Takes requests whose path cannot be decoded. */
  readonly #malformed: Route;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(options: EdgeOptions, services: ConnectorServices) {
    const { host, port, readTimeout, writeTimeout, idleTimeout, maxConnections } = options;
    this.host = host;
    this.port = port;
    this.limits = { readTimeout, writeTimeout, idleTimeout, maxConnections };
    this.production = services.production;
    this.#options = options;
    this.#services = services;
    this.#admission = new Admission(options, services, (exchange) => this.#run(exchange));
    this.#turns = new Turns(services.clock, (exchange) => this.#serve(exchange));
    this.#unmatched = {
      method: '',
      path: 'unmatched',
      builtin: false,
      open: false,
      handle: (exchange) => this.#answerUnmatched(exchange),
    };
    this.#malformed = {
      ...this.#unmatched,
      open: true,
      handle: (exchange) =>
        exchange.refuse(new Failure('value_refused', 'the path of the request is not a valid address')),
    };
    this.#app = fastify({
      logger: false,
      exposeHeadRoutes: false,
      return503OnClosing: false,
      routerOptions: { maxParamLength: 16_384 },
      frameworkErrors: (_error, { raw }, reply) => this.#take(this.#malformed, raw, reply.raw, noParams, noParams),
    });
    for (const method of methods) this.#app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    this.#app.setNotFoundHandler(({ raw, query }, reply) => {
      this.#take(this.#unmatched, raw, reply.raw, noParams, query as Exchange['query']);
    });
  }

  /** Counts what is no request against the limits of its caller. */
  readonly limitMalformed: HttpApplication['limitMalformed'] = (peer) => this.#admission.limitMalformed(peer);

  /** Adds a route; before `prepare`. */
  route(route: Route): void {
    this.#table.add(route.method, route.path);
    this.#routes.push(route);
    this.#app.route({
      method: route.method as HTTPMethods,
      url: route.path,
      handler: ({ raw, params, query }, reply) => {
        const named = params as Exchange['params'];
        this.#take(hasEmpty(named) ? this.#unmatched : route, raw, reply.raw, named, query as Exchange['query']);
      },
    });
  }

  async prepare(): Promise<void> {
    this.#addBuiltins();
    for (const route of this.#routes)
      if (this.#table.methodsOf(route.path).includes('QUERY')) this.#queryable.add(route);
    await this.#app.ready();
    this.handle = this.#app.routing as RequestListener;
  }

  /** Resolves when no request is being answered. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async close(): Promise<void> {
    await this.idle();
    await this.#app.close();
  }

  /** Counts a request in; the time it began at. */
  begin(exchange: Exchange): number {
    if (exchange.route.builtin) return 0;
    this.#inFlight++;
    this.#services.http.observer.started(exchange.request.method ?? '', exchange.route.path);
    return this.#services.clock.elapsed();
  }

  /** Counts a request out. */
  end(exchange: Exchange, status: number, startedAt: number): void {
    const { route, request } = exchange;
    if (route.builtin) return;
    const seconds = (this.#services.clock.elapsed() - startedAt) / 1000;
    this.#services.http.observer.finished(request.method ?? '', route.path, status, seconds);
    if (--this.#inFlight === 0 && this.#idle.length > 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Writes down a failure of the service under the id that its caller received. */
  report(exchange: Exchange, failure: Failure, requestId: string): void {
    const { flow, stage, connector } = failure.at;
    this.#services.log.error('request failed', {
      request_id: requestId,
      method: exchange.request.method,
      route: exchange.route.path,
      code: failure.code,
      error: failure.message,
      ...(flow !== undefined && { flow }),
      ...(stage !== undefined && { stage }),
      ...(connector !== undefined && { failed_connector: connector }),
      ...(failure.code === 'internal' && { stack: failure.stack }),
    });
  }

  #take(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    params: Exchange['params'],
    query: Exchange['query'],
  ): void {
    const exchange = new Exchange(this, route, request, response, params, query);
    if (this.#queryable.size > 0 && this.#queryable.has(route)) exchange.addHeader('accept-query', acceptQuery);
    try {
      this.#admission.admit(exchange, this.#inFlight);
    } catch (error) {
      exchange.refuse(asFailure(error, { connector: this.#options.connector }));
    }
  }

  #run(exchange: Exchange): void {
    const timeout = Math.min(this.#options.timeout ?? never, exchange.route.timeout ?? never);
    if (timeout !== never)
      exchange.limit(timeout, () => new Failure('request_timeout', 'the request took longer than the service allows'));
    if (exchange.route.builtin) exchange.route.handle(exchange);
    else this.#turns.take(exchange);
  }

  #serve(exchange: Exchange): void {
    // Its time may be over, or its caller gone, since it began to wait.
    if (exchange.sent) return;
    try {
      if (exchange.cancelled) throw new Failure('cancelled', 'the caller went away before its request was served');
      exchange.route.handle(exchange);
    } catch (error) {
      exchange.refuse(asFailure(error, { connector: this.#options.connector }));
    }
  }

  /** 404, or for a known path what OPTIONS asks for, or 405. */
  #answerUnmatched(exchange: Exchange): void {
    const allowed = this.#table.methodsOf(exchange.path);
    if (allowed.length === 0) {
      exchange.refuse(new Failure('not_found', `nothing is served at ${exchange.path}`));
      return;
    }
    const { method = '' } = exchange.request;
    const headers = ['allow', allowed.join(', ')];
    if (allowed.includes('QUERY')) headers.push('accept-query', acceptQuery);
    if (method === 'OPTIONS') exchange.send(204, undefined, '', headers);
    else exchange.refuse(new Failure('method_not_allowed', `${method} is not served at this path`), headers);
  }

  /** Health and metrics at the paths that no flow claims. */
  #addBuiltins(): void {
    for (const { path, open, handle } of this.#services.http.builtins)
      for (const method of ['GET', 'HEAD'])
        if (!this.#table.has(method, path))
          this.route({ method, path, builtin: true, open, handle: (exchange) => answerBuiltin(exchange, handle) });
  }
}

/** The router takes `/users/` for `/users/:id` without an id; a trailing slash is another path. */
function hasEmpty(params: Exchange['params']): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

function answerBuiltin(exchange: Exchange, handle: () => BuiltinAnswer | Promise<BuiltinAnswer>): void {
  const send = ({ status, contentType, body }: BuiltinAnswer) =>
    exchange.send(status, contentType, body, ['cache-control', 'no-store']);
  const answer = handle();
  if (answer instanceof Promise) answer.then(send).catch((error: unknown) => exchange.refuse(asFailure(error)));
  else send(answer);
}
