import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type FastifyInstance, fastify, type HTTPMethods } from 'fastify';
import type { ConnectorServices, HttpApplication, TokenAnswer } from '../connectors/contract.ts';
import { asFailure } from '../errors/classify.ts';
import { Failure } from '../errors/failure.ts';
import type { Auth } from '../flow/message.ts';
import type { Refused, Verifier } from '../identity/verify.ts';
import type { Cors } from './cors.ts';
import { Exchange } from './exchange.ts';
import { RequestLimiter } from './rate-limit.ts';
import { RouteTable } from './route-table.ts';

/** One method and path that is served. */
export interface Route {
  readonly method: string;
  /** Pattern in the router's own form: `/loans/:id`. */
  readonly path: string;
  /** Health and metrics are neither counted nor refused when the service is busy (decisions 58). */
  readonly builtin: boolean;
  /** Served without the connector's `auth`. */
  readonly open: boolean;
  /** Answers the exchange now or later, and never throws. */
  handle(exchange: Exchange): void;
}

/** What one address serves, and under which limits (decisions 57). Times in milliseconds, sizes in bytes. */
export interface EdgeOptions {
  readonly connector: string;
  readonly host: string;
  readonly port: number;
  readonly timeout: number | undefined;
  readonly readTimeout: number;
  readonly idleTimeout: number;
  readonly maxConnections: number | undefined;
  readonly maxInFlight: number;
  readonly cors: Cors | undefined;
  readonly verifier: Verifier | undefined;
}

const maxHeaders = 200;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE'] as const;

/**
 * The HTTP server of one connector in one generation: Fastify routes requests, this decides in front of it. The order is
 * CORS, overload, rate limit, auth, then the flow or the reason why there is none (decisions 56). Bodies are
 * read by the routes, since what a body means can depend on the flow and refusals must not wait for it.
 */
export class HttpEdge implements HttpApplication {
  readonly host: string;
  readonly port: number;
  readonly limits: HttpApplication['limits'];
  readonly production: boolean;
  handle: RequestListener = (_request, response) => response.destroy();
  readonly #options: EdgeOptions;
  readonly #services: ConnectorServices;
  readonly #limiter: RequestLimiter | undefined;
  readonly #table = new RouteTable();
  readonly #app: FastifyInstance;
  readonly #unmatched: Route;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(options: EdgeOptions, services: ConnectorServices) {
    this.host = options.host;
    this.port = options.port;
    const { readTimeout, idleTimeout, maxConnections } = options;
    this.limits = { readTimeout, idleTimeout, maxConnections };
    this.production = services.production;
    this.#options = options;
    this.#services = services;
    const { rateLimiter, trustedProxies } = services.http;
    this.#limiter = rateLimiter && new RequestLimiter(rateLimiter, trustedProxies, services.clock);
    this.#unmatched = {
      method: '',
      path: 'unmatched',
      builtin: false,
      open: false,
      handle: (exchange) => this.#answerUnmatched(exchange),
    };
    this.#app = fastify({
      logger: false,
      exposeHeadRoutes: false,
      routerOptions: { maxParamLength: 16_384 },
      frameworkErrors: (_error, request, reply) => this.#takeMalformed(request.raw, reply.raw),
    });
    for (const method of methods) this.#app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
    this.#app.setNotFoundHandler((request, reply) => {
      this.#take(this.#unmatched, request.raw, reply.raw, noParams, request.query as Exchange['query']);
    });
    this.#app.setErrorHandler((error, request, reply) => {
      const exchange = new Exchange(this, this.#unmatched, request.raw, reply.raw, noParams, noParams);
      exchange.refuse(asFailure(error));
    });
  }

  /** Adds a route; before `prepare`. */
  route(route: Route): void {
    this.#table.add(route.method, route.path);
    this.#app.route({
      method: route.method as HTTPMethods,
      url: route.path,
      handler: (request, reply) => {
        this.#take(
          route,
          request.raw,
          reply.raw,
          request.params as Exchange['params'],
          request.query as Exchange['query'],
        );
      },
    });
  }

  async prepare(): Promise<void> {
    this.#addBuiltins();
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
    try {
      this.#admit(exchange);
    } catch (error) {
      exchange.refuse(asFailure(error, { connector: this.#options.connector }));
    }
  }

  #admit(exchange: Exchange): void {
    const { route, request } = exchange;
    const { cors, verifier, maxInFlight } = this.#options;
    if (verifier !== undefined) exchange.addHeaders(verifier.responseHeaders);
    if (this.#table.takesQueries && this.#table.methodsOf(exchange.path).includes('QUERY'))
      exchange.addHeader('accept-query', 'application/json, application/xml');
    if (cors?.admit(exchange) === 'answered') return;
    if (request.rawHeaders.length > 2 * maxHeaders) return tooManyHeaders(exchange);
    if (!route.builtin && (this.#inFlight > maxInFlight || this.#services.http.overloaded()))
      return exchange.refuse(
        new Failure('overloaded', 'the service is too busy; try again shortly', { retryAfter: 1000 }),
      );
    const answer = this.#limiter?.ask(exchange);
    if (answer === undefined) return this.#identify(exchange);
    if (answer instanceof Promise) this.#later(exchange, answer, (taken) => this.#limited(exchange, taken));
    else this.#limited(exchange, answer);
  }

  #limited(exchange: Exchange, answer: TokenAnswer): void {
    if ((this.#limiter as RequestLimiter).admit(exchange, answer)) this.#identify(exchange);
  }

  #identify(exchange: Exchange): void {
    const { verifier } = this.#options;
    const { recognise } = this.#services.http;
    if (verifier !== undefined && !exchange.route.open) {
      const verdict = verifier.verify(exchange.request, exchange.path, exchange.query);
      if (verdict instanceof Promise) return this.#later(exchange, verdict, (late) => this.#identified(exchange, late));
      return this.#identified(exchange, verdict);
    }
    if (recognise === undefined || exchange.route.open) return this.#run(exchange);
    const caller = recognise(exchange.request.headers);
    if (caller instanceof Promise) this.#later(exchange, caller, (late) => this.#identified(exchange, late));
    else this.#identified(exchange, caller);
  }

  #identified(exchange: Exchange, verdict: Auth | Refused | undefined): void {
    if (verdict !== undefined && 'refused' in verdict) return exchange.refuse(verdict.refused, verdict.headers);
    if (verdict !== undefined) exchange.auth = verdict;
    this.#run(exchange);
  }

  #run(exchange: Exchange): void {
    const { timeout } = this.#options;
    if (timeout !== undefined)
      exchange.limit(timeout, () => new Failure('request_timeout', 'the request took longer than the service allows'));
    exchange.route.handle(exchange);
  }

  #later<T>(exchange: Exchange, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => {
      exchange.refuse(asFailure(error, { connector: this.#options.connector }));
    });
  }

  #takeMalformed(request: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(this, this.#unmatched, request, response, noParams, noParams);
    exchange.refuse(new Failure('value_refused', 'the path of the request is not a valid address'));
  }

  #answerUnmatched(exchange: Exchange): void {
    const allowed = this.#table.methodsOf(exchange.path);
    if (allowed.length === 0) return exchange.refuse(new Failure('not_found', `nothing is served at ${exchange.path}`));
    const allow = ['allow', allowed.join(', ')];
    if (exchange.request.method === 'OPTIONS') return exchange.send(204, undefined, '', allow);
    const method = exchange.request.method ?? '';
    exchange.refuse(new Failure('method_not_allowed', `${method} is not served at this path`), allow);
  }

  /** Health and metrics at the paths that no flow claims. */
  #addBuiltins(): void {
    for (const { path, open, handle } of this.#services.http.builtins)
      for (const method of ['GET', 'HEAD']) {
        if (this.#table.has(method, path)) continue;
        const answer = (exchange: Exchange) => {
          const answered = handle();
          if (answered instanceof Promise)
            this.#later(exchange, answered, (late) => exchange.send(late.status, late.contentType, late.body, noStore));
          else exchange.send(answered.status, answered.contentType, answered.body, noStore);
        };
        this.route({ method, path, builtin: true, open, handle: answer });
      }
  }
}

const noParams: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);
const noStore = ['cache-control', 'no-store'];

function tooManyHeaders(exchange: Exchange): void {
  const body = JSON.stringify({ error: `the request has more than ${maxHeaders} headers`, code: 'headers_too_large' });
  exchange.send(431, 'application/json; charset=utf-8', body);
}
