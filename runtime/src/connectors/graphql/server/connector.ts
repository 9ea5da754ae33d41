import { join } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { HttpMount, Verifier } from '../../../foundation/contracts/http.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import type { Declarations } from '../../../foundation/contracts/types.ts';
import { largestGiven, readRegularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { projectText } from '../../../platform/formats/project-text.ts';
import { requestMount } from '../../../platform/http/request-mount.ts';
import { verifierOf } from '../../../platform/identity/verify.ts';
import { answering } from '../../core/flows-beside.ts';
import type { SchemaText } from '../schema/build.ts';
import { type FederationVersion, generateSchema } from '../schema/generate.ts';
import type { Documents } from './execution/documents.ts';
import { ErrorForm } from './execution/errors.ts';
import { endpointRoutes } from './http/endpoint.ts';
import {
  documentsOf,
  type FindText,
  keptDocuments,
  LearnedDocuments,
  noneKept,
  prepareRequest,
} from './http/persisted.ts';
import { playgroundRoutes } from './http/playground/routes.ts';
import type { GraphqlRequest } from './http/request.ts';
import { documentReader } from './limits/read-document.ts';
import { usualLimits } from './limits/spec.ts';
import { federationOf, type graphqlServer } from './spec.ts';
import { SubscriptionServer } from './subscriptions/server.ts';

export const create: Factory<typeof graphqlServer> = (name, config, services) =>
  new GraphqlServer(name, config, services);

type Settings = Values<typeof graphqlServer.config>;

/** Serves flows as fields of a schema, at an address of the service. */
class GraphqlServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #verifier: Verifier | undefined;
  /** Documents that callers named by a hash: they stay when the service is reloaded. */
  readonly #learned = new LearnedDocuments();
  readonly #subscriptions: SubscriptionServer;
  readonly #errors: ErrorForm;
  /** Those of the configuration that is in use. */
  #documents: Documents | undefined;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    const { log, production } = services;
    this.#errors = new ErrorForm({ connector: name, production, log });
    this.#subscriptions = new SubscriptionServer(name, config, services, this.#errors);
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

  async knownTargets(): Promise<readonly KnownTarget[]> {
    return this.#documents?.knownFields() ?? [];
  }

  #bind(flows: readonly Binding[], declared: Declarations = { types: [], sent: [] }): BoundFlows {
    const bindings = answering(flows, this.#services.log);
    const {
      endpoint,
      max_body,
      max_upload,
      uploads,
      playground_path,
      limits = usualLimits,
      introspection = !this.#services.production,
      playground = !this.#services.production,
    } = this.#config;
    const { production } = this.#services;
    let documents: Documents | undefined;
    let findText: FindText | undefined;
    const { upgrade } = this.#subscriptions;
    const prepare = (request: GraphqlRequest) => prepareRequest(request, documents as Documents, findText as FindText);
    const http: HttpMount = {
      ...requestMount(this.name, this.#config, this.#services, this.#verifier),
      routes: [
        ...endpointRoutes({
          path: endpoint,
          maxBody: max_body,
          maxUpload: uploads ? max_upload : undefined,
          errors: this.#errors,
          prepare,
          streams: this.#subscriptions.streams,
        }),
        ...(playground ? playgroundRoutes(playground_path, { endpoint, subscriptions: upgrade?.path }) : []),
      ],
      upgrades: upgrade && [upgrade],
    };
    const load = async () => {
      const { prepareDocuments } = await import('./execution/prepare.ts');
      const read = documentReader({ limits, introspection, production, connector: this.name });
      documents = prepareDocuments(this.#schemaText(bindings, declared), bindings, read, this.#federation);
      findText = this.#findText(documents);
    };
    const contract = async () => this.#schemaText(bindings, declared).text;
    const subscribed = this.#subscriptions.bind(bindings, prepare);
    const use = () => {
      this.#documents = documents;
      subscribed.use();
    };
    return { http, contract, ...subscribed, prepare: load, use };
  }

  get #federation(): FederationVersion {
    return federationOf(this.#config.federation);
  }

  #schemaText(bindings: readonly Binding[], declared: Declarations): SchemaText {
    const path = this.#config.schema?.path;
    if (path === undefined) return generateSchema(bindings, declared, this.#federation);
    return { text: projectText(this.#services.directory, path, `the schema ${path}`) };
  }

  /** Throws a Failure for a file of documents that cannot be read, or that has one which could not be run. */
  #findText(documents: Documents): FindText {
    const { persisted } = this.#config;
    if (persisted === undefined) return noneKept;
    const { path, only } = persisted;
    if (path === undefined) return keptDocuments(new Map(), only, this.#learned);
    let written: ReadonlyMap<string, string>;
    try {
      written = documentsOf(this.#fileText(path));
    } catch (cause) {
      throw new Failure('internal', `the documents in ${path} cannot be read: ${reasonOf(cause)}`, { cause });
    }
    for (const [name, text] of written) {
      const [problem] = documents.problemsOf(text);
      if (problem !== undefined)
        throw new Failure('internal', `the document "${name}" in ${path} cannot be run: ${problem.message}`);
    }
    return keptDocuments(written, only, this.#learned);
  }

  #fileText(path: string): string {
    return readRegularFile(join(this.#services.directory, path), largestGiven).toString('utf8');
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
