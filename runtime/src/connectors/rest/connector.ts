import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { HttpMount, Verifier } from '../../foundation/contracts/http.ts';
import type { BoundFlows, Source } from '../../foundation/contracts/source.ts';
import type { Declarations } from '../../foundation/contracts/types.ts';
import { problem } from '../../platform/http/problem.ts';
import { requestMount } from '../../platform/http/request-mount.ts';
import { verifierOf } from '../../platform/identity/verify.ts';
import type { RestBinding } from './binding.ts';
import { descriptionRoutes } from './description/routes.ts';
import { Routes } from './routes.ts';
import type { rest } from './spec.ts';

export const create: Factory<typeof rest> = (name, config, services) => new RestServer(name, config, services);

type Settings = Values<typeof rest.config>;

/** Serves flows over HTTP at an address of the service; this only knows what to answer. */
class RestServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #verifier: Verifier | undefined;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    this.source = {
      bind: (bindings, declared) => this.#bind(bindings, declared),
      start: async () => undefined,
      // The server of its routes waits for what they have taken.
      stop: async () => undefined,
    };
  }

  async open(): Promise<void> {
    await this.#verifier?.prepare();
  }

  async close(): Promise<void> {}

  #bind(bindings: readonly RestBinding[], declared: Declarations | undefined): BoundFlows {
    const routes = new Routes(bindings, this.#config, this.#services.log, this.#services.production);
    const mount = requestMount(this.name, this.#config, this.#services, this.#verifier);
    const { openapi, errors, http2 } = this.#config;
    const described =
      openapi === undefined || declared?.describe === undefined ? [] : descriptionRoutes(openapi, declared.describe);
    const refusal = errors === 'problem' ? problem : undefined;
    const http: HttpMount = { ...mount, http2, refusal, routes: [...routes.all, ...described] };
    return { http, prepare: () => routes.prepare(), use: () => undefined, ended: async () => undefined };
  }
}
