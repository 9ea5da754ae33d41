import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../contracts/connector.ts';
import type { HttpApplication } from '../../contracts/http.ts';
import type { Outcome } from '../../contracts/outcome.ts';
import type { Binding, Source } from '../../contracts/source.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import { type Codec, codecOf, type EncodingStyle, type FormatName, isFormat } from '../../formats/registry.ts';
import { corsOf } from '../../http/cors.ts';
import { HttpEdge } from '../../http/edge.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Verifier, verifierOf } from '../../identity/verify.ts';
import { answer } from './answer.ts';
import { bodyReader } from './request-body.ts';
import { RequestMessage } from './request-message.ts';
import { type Operation, parseOperation } from './rules.ts';
import type { rest } from './spec.ts';

/** Methods whose bodies are decoded (document 1, REST server inbound behaviour). */
const withBody = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'DELETE']);
const noBody = { fields: undefined, files: undefined };

export const create: Factory<typeof rest> = (name, config, services) => {
  const verifier = config.auth && verifierOf(config.auth, services, name);
  const edge = new HttpEdge(
    {
      connector: name,
      host: config.host ?? '',
      port: config.port,
      timeout: config.timeout,
      readTimeout: config.read_timeout,
      writeTimeout: config.write_timeout,
      idleTimeout: config.idle_timeout,
      maxConnections: config.max_connections,
      maxInFlight: config.max_in_flight,
      cors: corsOf(config.cors, services.production),
      verifier,
    },
    services,
  );
  return new RestServer(name, edge, verifier, config, services);
};

/** What the configuration says about bodies and answers. */
type BodySettings = Pick<Values<typeof rest.config>, 'format' | 'body_formats' | 'escape_formulas' | 'max_body'>;

/** Serves flows over HTTP. The socket belongs to the listener of the process; this only knows what to answer. */
class RestServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #edge: HttpEdge;
  readonly #verifier: Verifier | undefined;
  readonly #config: BodySettings;
  readonly #style: EncodingStyle;
  readonly #services: ConnectorServices;
  /** Formats that answers are written in. */
  readonly #formats = new Set<FormatName>();
  readonly #codecs = new Map<FormatName, Codec>();

  constructor(
    name: string,
    edge: HttpEdge,
    verifier: Verifier | undefined,
    config: BodySettings,
    services: ConnectorServices,
  ) {
    this.#verifier = verifier;
    this.name = name;
    this.#edge = edge;
    this.#config = config;
    this.#style = { escapeFormulas: config.escape_formulas };
    this.#services = services;
    const http: HttpApplication = {
      host: edge.host,
      port: edge.port,
      limits: edge.limits,
      prepare: () => this.#prepare(),
      limitMalformed: edge.limitMalformed,
      get handle() {
        return edge.handle;
      },
    };
    this.source = {
      bind: (bindings) => {
        this.#bind(bindings);
        return { http, prepare: async () => undefined, use: () => undefined, ended: () => edge.idle() };
      },
      start: async () => undefined,
      stop: () => edge.idle(),
    };
  }

  async open(): Promise<void> {
    await this.#verifier?.prepare();
  }

  async close(): Promise<void> {
    await this.#edge.close();
  }

  async #prepare(): Promise<void> {
    await Promise.all([...this.#formats].map(async (name) => this.#codecs.set(name, await codecOf(name))));
    await this.#edge.prepare();
  }

  /** One route for each method and path; further flows on it run beside the one that answers (supplement-flows 3.4). */
  #bind(bindings: readonly Binding[]): void {
    const routes = new Map<string, { readonly operation: Operation; readonly bindings: Binding[] }>();
    for (const binding of bindings) {
      const operation = parseOperation(binding.operation ?? '');
      if (typeof operation === 'string') throw new Failure('internal', `flow "${binding.flow}": ${operation}`);
      this.#formats.add(formatOf(binding) ?? this.#config.format);
      const key = `${operation.method} ${routerPath(operation)}`;
      const route = routes.get(key);
      if (route === undefined) routes.set(key, { operation, bindings: [binding] });
      else route.bindings.push(binding);
    }
    for (const { operation, bindings: bound } of routes.values()) {
      this.#serve(operation.method, operation, bound);
      const head = `HEAD ${routerPath(operation)}`;
      if (operation.method === 'GET' && !routes.has(head)) this.#serve('HEAD', operation, bound);
    }
  }

  #serve(method: string, operation: Operation, [binding, ...beside]: readonly Binding[]): void {
    const { flow, timeout, binary, deliver } = binding as Binding;
    const format = formatOf(binding as Binding);
    const addressed = operation.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
    const name = format ?? this.#config.format;
    const refuse = (exchange: Exchange, error: unknown) => exchange.refuse(asFailure(error, { flow }));
    const settle = (exchange: Exchange, outcome: Outcome) => {
      try {
        answer(exchange, outcome, { codec: this.#codecs.get(name) as Codec, style: this.#style, binary });
      } catch (error) {
        refuse(exchange, error);
      }
    };
    const run = (exchange: Exchange, message: RequestMessage) => {
      if (beside.length > 0) this.#runBeside(beside, message);
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = deliver(message);
      } catch (error) {
        refuse(exchange, error);
        return;
      }
      if (!(outcome instanceof Promise)) settle(exchange, outcome);
      else
        outcome.then(
          (late) => settle(exchange, late),
          (error: unknown) => refuse(exchange, error),
        );
    };
    const read = bodyReader({
      format,
      assumed: this.#config.format,
      named: this.#config.body_formats,
      method,
      limit: this.#config.max_body,
    });
    const handle = withBody.has(method)
      ? (exchange: Exchange) =>
          read(exchange, (body) => {
            if (body instanceof Error) refuse(exchange, body);
            else run(exchange, new RequestMessage(exchange, body, addressed));
          })
      : (exchange: Exchange) => run(exchange, new RequestMessage(exchange, noBody, addressed));
    this.#edge.route({ method, path: routerPath(operation), builtin: false, open: false, timeout, handle });
  }

  #runBeside(bindings: readonly Binding[], message: RequestMessage): void {
    for (const { flow, deliver } of bindings) {
      const copy = message.copy();
      // Started in a turn of its own, so that it never delays the flow that answers.
      new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => deliver(copy))
        .catch((error: unknown) => {
          const { code, message: text } = asFailure(error, { flow });
          this.#services.log.warn('flow beside the answering one failed', { flow, code, error: text });
        });
    }
  }
}

/** The path in the form of Fastify's router: parameters as `:name`. */
function routerPath({ segments }: Operation): string {
  const parts = segments.map((segment) => ('parameter' in segment ? `:${segment.parameter}` : segment.literal));
  return `/${parts.join('/')}`;
}

function formatOf({ flow, format }: Binding): FormatName | undefined {
  if (format === undefined || isFormat(format)) return format;
  throw new Failure('internal', `flow "${flow}": "${format}" is no format`);
}
