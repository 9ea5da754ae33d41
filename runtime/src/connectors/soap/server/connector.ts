import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { HttpMount, Verifier } from '../../../foundation/contracts/http.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import type { Declarations } from '../../../foundation/contracts/types.ts';
import { requestMount } from '../../../platform/http/request-mount.ts';
import { verifierOf } from '../../../platform/identity/verify.ts';
import { answering } from '../../core/flows-beside.ts';
import { defaultNamespace } from '../envelope/version.ts';
import { knownOperations } from '../known-operations.ts';
import { TokenCheck } from '../security/user-name-token.ts';
import { wsdlText } from '../wsdl/document.ts';
import { endpointRoutes } from './endpoint.ts';
import { Operations } from './operations.ts';
import type { soapServer } from './spec.ts';
import { wsdlRoutes } from './wsdl-routes.ts';

export const create: Factory<typeof soapServer> = (name, config, services) => new SoapServer(name, config, services);

type Settings = Values<typeof soapServer.config>;

/** Serves flows as the operations of a SOAP service, at an address of the service. */
class SoapServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #verifier: Verifier | undefined;
  #operations: Operations | undefined;
  /** What it remembers stays when the service is reloaded. */
  readonly #tokens: TokenCheck | undefined;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    this.#tokens = config.security && new TokenCheck(config.security, services.clock);
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

  /** The operations in use, with the fields of their types. */
  async knownTargets(): Promise<readonly KnownTarget[]> {
    const { all = [], types } = this.#operations ?? {};
    return knownOperations(
      all.map(({ name, input }) => ({ name, parameters: types?.get(input ?? '')?.map((field) => field.name) })),
    );
  }

  #bind(flows: readonly Binding[], declared: Pick<Declarations, 'types'> = { types: [] }): BoundFlows {
    const { soap_version: version, namespace = defaultNamespace, max_body: maxBody, address } = this.#config;
    const isQualified = this.#config.element_form === 'qualified';
    const operations = new Operations(answering(flows, this.#services.log), declared);
    const described = { version, namespace, isQualified, operations: operations.all, types: operations.types };
    const text = (at: string) => wsdlText(described, at);
    const http: HttpMount = {
      ...requestMount(this.name, this.#config, this.#services, this.#verifier),
      routes: [
        ...endpointRoutes({ version, namespace, isQualified, maxBody, operations, tokens: this.#tokens }),
        ...wsdlRoutes(text, address),
      ],
    };
    const use = () => {
      this.#operations = operations;
    };
    const { host = 'localhost', port } = this.#config;
    const contract = async () => text(address ?? `http://${host}:${port}/`);
    return { http, contract, prepare: async () => undefined, use, ended: async () => undefined };
  }
}
