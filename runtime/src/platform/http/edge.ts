import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type {
  BuiltinAnswer,
  HttpApplication,
  HttpMount,
  HttpServices,
  SocketLimits,
} from '../../foundation/contracts/http.ts';
import type { RequestCounts } from '../../foundation/contracts/observer.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { logged } from '../../foundation/errors/report.ts';
import type { Reading } from '../../foundation/observe/clock.ts';
import { Admission } from './admission/admission.ts';
import { ClientAddress } from './admission/client-address.ts';
import { RequestLimiter } from './admission/rate-limit.ts';
import { Turns } from './admission/turns.ts';
import { Exchange, type ExchangeHost } from './exchange.ts';
import { problem } from './problem.ts';
import { RouteTable } from './routes/route-table.ts';
import { Router } from './routes/router.ts';
import {
  type RouteAdmission,
  type ServedExchange,
  type ServedRoute,
  servedBy,
  shorter,
} from './routes/served-route.ts';
import { standardPace } from './sockets/late-bodies.ts';
import { endUpgrade, handOver, UpgradeTable } from './upgrade.ts';
import { takeProtocolToken } from './websocket/protocol-token.ts';

/** What the server of an address is given by the service. */
export interface EdgeServices extends Pick<ConnectorServices, 'log' | 'clock' | 'production'> {
  readonly http: HttpServices;
}

/** Where no source that shares an address sets anything about its connections. */
const usualLimits: SocketLimits = {
  ...standardPace,
  writeTimeout: 30_000,
  idleTimeout: 60_000,
  maxConnections: undefined,
};

const acceptQuery = 'application/json, application/xml';
const noParams: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);

/** What replaces a route, of one mount. */
interface StandIns {
  readonly unmatched: ServedRoute;
  /** Takes requests whose path cannot be decoded. */
  readonly malformed: ServedRoute;
}

/**
 * The HTTP server of one address in one generation, prepared but not listening: everything that sources and the service
 * mount at the address. `Router` finds the route, the `Admission` of its mount is in front of it. Routes read bodies
 * themselves, since what a body means can depend on the flow, and refusals must not wait for it.
 */
export class HttpEdge implements HttpApplication, ExchangeHost<ServedRoute> {
  readonly host: string;
  readonly port: number;
  readonly limits: SocketLimits;
  readonly http2: boolean;
  /** The connectors that are served, in the order of the mounts. */
  readonly connectors: readonly string[];
  readonly production: boolean;
  readonly problems: boolean;
  readonly #services: EdgeServices;
  readonly #limiter: RequestLimiter | undefined;
  readonly #turns: Turns<ServedExchange>;
  readonly addresses: ClientAddress;
  readonly #table = new RouteTable();
  readonly #upgrades = new UpgradeTable();
  readonly #router: Router<ServedRoute>;
  readonly #standIns = new Map<RouteAdmission, StandIns>();
  readonly #admissions: ReadonlyMap<string, Admission>;
  /** Guards what belongs to no mount. */
  readonly #fallback: Admission;
  #inFlight = 0;
  /** When the request began that is being admitted; undefined once its admission has answered, or waits. */
  #now: Reading | undefined = undefined;
  #idle: (() => void)[] = [];

  /** All mounts name the same address. Throws a Failure when two of them serve the same. */
  constructor(mounts: readonly [HttpMount, ...HttpMount[]], services: EdgeServices) {
    const [{ address }] = mounts;
    this.host = address.host;
    this.port = address.port;
    this.limits = mounts.find(({ limits }) => limits !== undefined)?.limits ?? usualLimits;
    this.http2 = mounts.some(({ http2 }) => http2 === true);
    this.connectors = mounts.map(({ connector }) => connector);
    this.production = services.production;
    this.problems = mounts.some(({ refusal }) => refusal === problem);
    this.#services = services;
    const { rateLimiter, trustedProxies } = services.http;
    this.addresses = new ClientAddress(trustedProxies);
    this.#limiter = rateLimiter && new RequestLimiter(rateLimiter, this.addresses, services.clock);
    this.#turns = new Turns(
      services.clock,
      ({ route }) => route.admission.room,
      (exchange) => this.#serve(exchange),
    );
    const run = (exchange: ServedExchange) => this.#run(exchange);
    const admissionOf = ({ connector, access }: HttpMount) =>
      new Admission(connector, access, this.#limiter, services.http, run, services.clock);
    this.#admissions = new Map(mounts.map((mount) => [mount.connector, admissionOf(mount)]));
    for (const { connector, refusal } of mounts) {
      const admission = this.#admissions.get(connector) as Admission;
      this.#standIns.set(admission, this.#standInsOf(admission, refusal));
    }
    this.#fallback = this.#strictest(mounts);
    this.#router = new Router(this.#standIn(this.#fallback).malformed);
    for (const mount of mounts)
      for (const route of mount.routes) this.#table.add(route.method, route.path, mount.connector);
    for (const mount of mounts) this.#add(mount);
    this.#addBuiltins(mounts.filter(({ builtins }) => builtins));
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '/';
    const found = this.#router.find(request.method ?? '', url);
    if (found === undefined || hasEmpty(found.params)) this.#takeUnmatched(request, response);
    else this.#take(new Exchange(this, found.route, request, response, found.params, found.query));
  };

  /** Counts what is not a request against the limits of its caller. */
  readonly limitMalformed: HttpApplication['limitMalformed'] = (peer) => this.#limiter?.askMalformed(peer);

  readonly upgrades = (request: IncomingMessage): boolean => this.#upgrades.find(request) !== undefined;

  get upgrade(): HttpApplication['upgrade'] {
    return this.#upgrades.size === 0 ? undefined : this.#upgrade;
  }

  /** Answers through the connection until the request is admitted; then the connection belongs to its source. */
  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const found = this.#upgrades.find(request);
    takeProtocolToken(request);
    const upgrading = { socket, head };
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // Without a listener, an error of a connection ends the process.
    socket.on('error', () => socket.destroy());
    response.assignSocket(socket as Socket);
    response.once('finish', () => endUpgrade(upgrading));
    if (found === undefined) return this.handle(request, response);
    const { route, params, query } = found;
    this.#take(new Exchange(this, route, request, response, params, query, upgrading));
  };

  get recognise(): HttpServices['recognise'] {
    return this.#services.http.recognise;
  }

  /** Resolves when no request is being answered. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Begins the count of a request; gives when it began, undefined where it is not counted. */
  begin(exchange: ServedExchange): Reading | undefined {
    const { route, request } = exchange;
    if (route.builtin) return undefined;
    this.#inFlight++;
    route.admission.room.inFlight++;
    const counts = route.counts ?? this.#countsOf(route, request.method ?? '');
    counts.started();
    exchange.counts = counts;
    return (this.#now = this.#services.clock.reading());
  }

  #countsOf(route: ServedRoute, method: string): RequestCounts {
    const counts = this.#services.http.observer.of(method, route.path);
    if (route.method !== undefined) route.counts = counts;
    return counts;
  }

  /** Ends the count of a request. */
  end({ route, counts }: ServedExchange, status: number, startedAt: Reading | undefined): void {
    if (counts === undefined || startedAt === undefined) return;
    counts.finished(status, this.#services.clock.since(startedAt) / 1000);
    route.admission.room.inFlight--;
    if (--this.#inFlight === 0 && this.#idle.length > 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Logs a failure of the service under the id that its caller received. */
  report({ route, request }: ServedExchange, failure: Failure, requestId: string): void {
    this.#services.log.error('request failed', {
      connector: route.admission.connector,
      request_id: requestId,
      method: request.method,
      route: route.path,
      ...logged(failure),
    });
  }

  /** Logs why an answer ended before it was complete. */
  broken({ route, request }: ServedExchange, failure: Failure): void {
    this.#services.log.error('answer could not be sent to its end', {
      connector: route.admission.connector,
      method: request.method,
      route: route.path,
      code: failure.code,
      error: failure.message,
    });
  }

  #take(exchange: ServedExchange): void {
    const { route } = exchange;
    if (route.queryable) exchange.addHeader('accept-query', acceptQuery);
    try {
      route.admission.admit(exchange);
    } catch (error) {
      exchange.refuse(asFailure(error, { connector: route.admission.connector }));
    }
    this.#now = undefined;
  }

  #takeUnmatched(request: IncomingMessage, response: ServerResponse): void {
    const { unmatched } = this.#standIn(this.#guardOf(request));
    const query = this.#router.queryOf(request.url ?? '/');
    this.#take(new Exchange(this, unmatched, request, response, noParams, query));
  }

  #run(exchange: ServedExchange): void {
    const { route } = exchange;
    if (route.timeout !== undefined)
      exchange.limit(
        route.timeout,
        () => new Failure('request_timeout', 'the request took longer than the service allows'),
      );
    if (route.builtin) route.handle(exchange);
    else this.#turns.take(exchange, this.#now);
  }

  #serve(exchange: ServedExchange): void {
    // Its time may be over, or its caller gone, since it began to wait.
    if (exchange.sent) return;
    const { route } = exchange;
    try {
      if (exchange.cancelled) throw new Failure('cancelled', 'the caller went away before its request was served');
      route.handle(exchange);
    } catch (error) {
      exchange.refuse(asFailure(error, { connector: route.admission.connector }));
    }
  }

  /** 404, or for a known path what OPTIONS asks for, or 405; at a path of another protocol, which one that is. */
  #answerUnmatched(exchange: ServedExchange): void {
    const allowed = this.#table.methodsOf(exchange.path);
    const { method = '' } = exchange.request;
    const protocol = method === 'GET' ? this.#upgrades.protocolAt(exchange.path) : undefined;
    if (protocol !== undefined) {
      exchange.refuse(new Failure('upgrade_required', `this path requires the protocol ${protocol}`), [
        'upgrade',
        protocol,
      ]);
      return;
    }
    if (allowed.length === 0) {
      exchange.refuse(new Failure('not_found', `nothing is served at ${exchange.path}`));
      return;
    }
    const headers = ['allow', allowed.join(', ')];
    if (allowed.includes('QUERY')) headers.push('accept-query', acceptQuery);
    if (method === 'OPTIONS') exchange.send(204, undefined, '', headers);
    else exchange.refuse(new Failure('method_not_allowed', `${method} is not served at this path`), headers);
  }

  #add({ connector, access, routes, upgrades = [], ...mount }: HttpMount): void {
    const admission = this.#admissions.get(connector) as Admission;
    const isQueryable = (path: string) => this.#table.takesQueries && this.#table.methodsOf(path).includes('QUERY');
    for (const route of routes) {
      const { method, path, open, refusal = mount.refusal } = route;
      const timeout = shorter(access.timeout, route.timeout);
      const handle = (exchange: ServedExchange) => route.handle(exchange);
      this.#router.add(
        method,
        path,
        servedBy(admission, { path, method, open, timeout, refusal, queryable: isQueryable(path), handle }),
      );
    }
    for (const upgrade of upgrades) {
      const { path, awaits } = upgrade;
      const handle = (exchange: ServedExchange) => handOver(exchange, upgrade, this.recognise);
      const { refusal } = mount;
      const served = servedBy(admission, { path, awaits, timeout: access.timeout, refusal, handle });
      this.#upgrades.add(connector, upgrade, served);
    }
  }

  /** Health and metrics at the paths that no flow claims. */
  #addBuiltins(mounts: readonly HttpMount[]): void {
    if (mounts.length === 0) return;
    const admission = this.#strictest(mounts);
    const { refusal } = mounts.find(({ connector }) => connector === admission.connector) ?? {};
    for (const { path, open, handle } of this.#services.http.builtins)
      for (const method of ['GET', 'HEAD']) {
        if (this.#table.has(method, path)) continue;
        this.#table.add(method, path, admission.connector);
        const answer = (exchange: ServedExchange) => answerBuiltin(exchange, handle);
        this.#router.add(method, path, servedBy(admission, { path, open, builtin: true, refusal, handle: answer }));
      }
  }

  /** Of several mounts, one that asks for credentials, if any does. */
  #strictest(mounts: readonly HttpMount[]): Admission {
    const guarded = mounts.find(({ access }) => access.verifier !== undefined) ?? mounts[0];
    return this.#admissions.get(guarded?.connector ?? '') as Admission;
  }

  /** The admission of a request that no route takes: the mount of its path, so that preflights are answered by its rules. */
  #guardOf({ method = '', url = '/', headers }: IncomingMessage): Admission {
    if (this.#admissions.size === 1) return this.#fallback;
    const [path = '/'] = url.split('?', 1);
    const asked = method === 'OPTIONS' ? headers['access-control-request-method'] : undefined;
    const owner = this.#table.ownerOf(asked ?? method, path) ?? this.#upgrades.ownerOf(path);
    return (owner === undefined ? undefined : this.#admissions.get(owner)) ?? this.#fallback;
  }

  #standIn(admission: Admission): StandIns {
    return this.#standIns.get(admission) as StandIns;
  }

  #standInsOf(admission: Admission, refusal: HttpMount['refusal']): StandIns {
    const path = 'unmatched';
    const malformed = (exchange: ServedExchange) =>
      exchange.refuse(new Failure('value_refused', 'the path of the request is not a valid address'));
    return {
      unmatched: servedBy(admission, { path, refusal, handle: (exchange) => this.#answerUnmatched(exchange) }),
      malformed: servedBy(admission, { path, open: true, refusal, handle: malformed }),
    };
  }
}

/** The router takes `/users/` for `/users/:id` without an id; a trailing slash is another path. */
function hasEmpty(params: ServedExchange['params']): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

function answerBuiltin(exchange: ServedExchange, handle: () => BuiltinAnswer | Promise<BuiltinAnswer>): void {
  const send = ({ status, contentType, body }: BuiltinAnswer) =>
    exchange.send(status, contentType, body, ['cache-control', 'no-store']);
  const answer = handle();
  if (answer instanceof Promise) answer.then(send).catch((error: unknown) => exchange.refuse(error));
  else send(answer);
}
