import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../contracts/connector.ts';
import type { HttpMount, Verifier } from '../../../contracts/http.ts';
import type { Binding, BoundFlows, Source } from '../../../contracts/source.ts';
import type { Target } from '../../../contracts/target.ts';
import type { Declarations } from '../../../contracts/types.ts';
import { corsOf } from '../../../http/admission/cors.ts';
import { verifierOf } from '../../../identity/verify.ts';
import { generateSchema } from '../schema/generate.ts';
import type { Documents } from './execution/documents.ts';
import { endpointRoutes } from './http/endpoint.ts';
import type { GraphqlRequest } from './http/request.ts';
import type { graphqlServer } from './spec.ts';
import { SubscriptionServer } from './subscriptions/server.ts';

export const create: Factory<typeof graphqlServer> = (name, config, services) =>
  new GraphqlServer(name, config, services);

type Settings = Values<typeof graphqlServer.config>;

/** Serves flows as fields of a schema, at an address of the service. */
class GraphqlServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #verifier: Verifier | undefined;
  readonly target: Target;
  readonly #subscriptions: SubscriptionServer;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    this.#subscriptions = new SubscriptionServer(name, config, services);
    this.target = this.#subscriptions.target;
    this.source = {
      bind: (bindings, declared) => this.#bind(bindings, declared),
      start: async () => undefined,
      // The server of its routes waits for what they have taken.
      stop: (cut) => this.#subscriptions.close(cut),
    };
  }

  async open(): Promise<void> {
    await this.#verifier?.prepare();
    await this.#subscriptions.open();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#subscriptions.close(cut);
  }

  #bind(bindings: readonly Binding[], declared: Declarations = { types: [], sent: [] }): BoundFlows {
    const {
      host = '',
      port,
      endpoint,
      max_body,
      read_timeout,
      write_timeout,
      idle_timeout,
      max_connections,
    } = this.#config;
    let documents: Documents | undefined;
    const prepare = ({ query, operationName }: GraphqlRequest) =>
      (documents as Documents).prepare(query, operationName);
    const http: HttpMount = {
      connector: this.name,
      address: { host, port },
      limits: {
        readTimeout: read_timeout,
        writeTimeout: write_timeout,
        idleTimeout: idle_timeout,
        maxConnections: max_connections,
      },
      access: {
        cors: corsOf(this.#config.cors, this.#services.production),
        verifier: this.#verifier,
        maxInFlight: this.#config.max_in_flight,
        timeout: this.#config.timeout,
      },
      builtins: true,
      routes: endpointRoutes({
        path: endpoint,
        maxBody: max_body,
        production: this.#services.production,
        prepare,
        streams: this.#subscriptions.streams,
      }),
      upgrades: this.#subscriptions.upgrades,
    };
    const load = async () => {
      const { prepareDocuments } = await import('./execution/prepare.ts');
      documents = prepareDocuments(this.#schemaText(bindings, declared), bindings);
    };
    return { http, prepare: load, ...this.#subscriptions.bind(bindings, prepare) };
  }

  #schemaText(bindings: readonly Binding[], declared: Declarations): string {
    const path = this.#config.schema?.path;
    if (path === undefined) return generateSchema(bindings, declared);
    return readFileSync(join(this.#services.directory, path), 'utf8');
  }
}
