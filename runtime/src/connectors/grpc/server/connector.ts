import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type * as Grpc from '@grpc/grpc-js';
import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { RequestServices, Verifier } from '../../../foundation/contracts/http.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { methodsOf } from '../../../platform/formats/protobuf/schema/methods.ts';
import type { Definitions } from '../../../platform/formats/protobuf/schema/read.ts';
import { verifierOf } from '../../../platform/identity/verify.ts';
import { fired } from '../../../platform/net/fired.ts';
import { cannotListen } from '../../../platform/net/listening/cannot-listen.ts';
import { ListeningSockets } from '../../../platform/net/listening/sockets.ts';
import { hostAndPort } from '../../../platform/net/server-url.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { checkPath, watchPath } from '../health-messages.ts';
import type { Descriptors } from '../reflection/descriptors.ts';
import { reflectionPath, reflectionServices } from '../reflection/paths.ts';
import { ReflectionService } from '../reflection/service.ts';
import { contractOf } from '../schema/contract.ts';
import { knownMethods } from '../schema/known-methods.ts';
import { readMethods } from '../schema/project-files.ts';
import { CallAdmission } from './admission.ts';
import { Calls } from './calls.ts';
import { failureStatus } from './failure-status.ts';
import { Generation } from './generation.ts';
import { registerMethod } from './handlers.ts';
import { HealthService } from './health.ts';
import { LateCalls } from './late-calls.ts';
import { type ServedMethod, servedMethods } from './methods.ts';
import type { Serving } from './serving.ts';
import type { grpcServer } from './spec.ts';

export const create: Factory<typeof grpcServer> = (name, config, services) => new GrpcServer(name, config, services);

type Settings = Values<typeof grpcServer.config>;

/** Everything of a server that is open. */
interface Open {
  readonly rpc: Grpc.Server;
  readonly sockets: ListeningSockets;
  readonly calls: Calls;
  readonly health: HealthService;
  readonly reflection: ReflectionService | undefined;
  readonly connections: Set<Socket>;
}

const mebibyte = 1024 * 1024;

/** Serves flows as methods of gRPC services. */
class GrpcServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #config: Settings;
  readonly #services: ConnectorServices;
  readonly #verifier: Verifier | undefined;
  #open: Open | undefined;
  #grpc: typeof Grpc | undefined;
  #serving: Serving;

  constructor(name: string, config: Settings, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    this.#serving = {
      methods: new Map(),
      generation: new Generation(),
      admission: this.#admission(undefined),
      definitions: undefined,
    };
    this.source = {
      bind: (bindings, _, requests) => this.#bind(bindings, requests),
      start: () => this.#start(),
      stop: (cut) => this.#stop(cut),
    };
  }

  async open(): Promise<void> {
    this.#grpc = await import('@grpc/grpc-js');
    await this.#verifier?.prepare();
    await this.#credentials(this.#grpc);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#stop(cut);
  }

  /** The methods of the definitions in use, those without a flow too. */
  async knownTargets(): Promise<readonly KnownTarget[]> {
    const { definitions } = this.#serving;
    return definitions === undefined ? [] : knownMethods(methodsOf(definitions.root));
  }

  #bind(bindings: readonly Binding[], requests: RequestServices | undefined): BoundFlows {
    const generation = new Generation();
    const admission = this.#admission(requests);
    let methods: Serving['methods'] = new Map();
    let definitions: Serving['definitions'];
    const readAll = () => {
      const { proto_path, proto_files } = this.#config;
      return readMethods(this.#services.directory, { proto_path, proto_files }, this.name);
    };
    return {
      contract: async () => contractOf(readAll().definitions),
      definitions: async () => {
        const { methods: known, definitions: read } = readAll();
        const served = servedMethods(bindings, known, { log: this.#services.log, observer: undefined });
        const answered = new Map<string, string | undefined>();
        for (const path of this.#ownPaths()) answered.set(path, undefined);
        for (const [path, { binding }] of served) answered.set(path, binding.flow);
        return { texts: read.texts, folder: this.#config.proto_path ?? '', answered };
      },
      prepare: async () => {
        const read = readAll();
        definitions = read.definitions;
        methods = servedMethods(bindings, read.methods, {
          log: this.#services.log,
          observer: requests?.observer,
        });
      },
      use: () => {
        const before = this.#serving;
        this.#serving = { methods, generation, admission, definitions };
        before.generation.replace();
        if (this.#open !== undefined) this.#register(this.#open, before.methods);
      },
      ended: () => generation.ended,
    };
  }

  /** Methods that are answered without a flow. */
  #ownPaths(): readonly string[] {
    return [checkPath, watchPath, ...(this.#config.reflection ? reflectionServices.map(reflectionPath) : [])];
  }

  async #start(): Promise<void> {
    if (this.#open !== undefined) return;
    const grpc = this.#grpc;
    if (grpc === undefined) throw new Failure('connector_refused', 'it is not open', { at: { connector: this.name } });
    const {
      host = '',
      port,
      max_recv_mb,
      max_send_mb,
      max_connections,
      max_in_flight,
      read_timeout: readTimeout,
      read_rate: readRate,
      timeout,
      emit_defaults,
    } = this.#config;
    const cut = () => this.#services.connectionCut?.(this.name, 'read_timeout');
    const late = new LateCalls({ grpc, readTimeout, readRate, cut });
    const rpc = new grpc.Server({
      interceptors: [late.interceptor],
      'grpc.max_receive_message_length': max_recv_mb * mebibyte,
      'grpc.max_send_message_length': max_send_mb * mebibyte,
      'grpc.max_concurrent_streams': max_in_flight,
      'grpc.enable_channelz': 0,
    });
    const injector = rpc.createConnectionInjector(await this.#credentials(grpc));
    const connections = new Set<Socket>();
    const server: Server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
      if (connections.size >= max_connections) return void socket.destroy();
      connections.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => connections.delete(socket));
      late.watch(socket);
      injector.injectConnection(socket);
    });
    // It uses what servers of HTTP have of a server of connections.
    const sockets = new ListeningSockets(server as HttpServer);
    const calls = new Calls({
      connector: this.name,
      services: this.#services,
      timeout,
      maxInFlight: max_in_flight,
      defaults: emit_defaults,
      newMetadata: () => new grpc.Metadata(),
    });
    const health = new HealthService();
    const reflection = this.#config.reflection ? this.#reflection(grpc, calls) : undefined;
    const open = { rpc, sockets, calls, health, reflection, connections };
    health.register(rpc);
    reflection?.register(rpc);
    this.#register(open, new Map());
    try {
      const bound = await sockets.listen(host, port);
      const address = `grpc://${hostAndPort(host === '' ? 'localhost' : host, bound.port)}`;
      this.#services.log.info('listening', { address });
    } catch (error) {
      rpc.forceShutdown();
      throw cannotListen(`connector "${this.name}"`, this.name, host, port, error as NodeJS.ErrnoException);
    }
    this.#open = open;
  }

  /** Connections end when their last call is answered; when `cut` fires, calls are aborted. */
  async #stop(cut?: AbortSignal): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { rpc, sockets, calls, health, reflection, connections } = open;
    const closed = sockets.close();
    health.stop();
    reflection?.stop();
    const ended = new Promise<void>((resolve) => rpc.tryShutdown(() => resolve()));
    // What was answered last may still be on its way: a connection has ended when all of it was taken.
    await Promise.race([Promise.all([ended, closed]), fired(cut)]);
    calls.abort();
    rpc.forceShutdown();
    for (const socket of connections) socket.destroy();
    await closed;
    this.#serving.generation.replace();
  }

  async #credentials(grpc: typeof Grpc): Promise<Grpc.ServerCredentials> {
    const { tls } = this.#config;
    if (!tls?.enabled) return grpc.ServerCredentials.createInsecure();
    const written = { ...tls, server_name: undefined, insecure_skip_verify: false };
    const { ca, cert, key } = (await readTls(written as never, this.#services)) ?? {};
    const pair = { cert_chain: cert as Buffer, private_key: key as Buffer };
    return grpc.ServerCredentials.createSsl(ca ?? null, [pair], ca !== undefined);
  }

  #register({ rpc, calls, health }: Open, before: Serving['methods']): void {
    const { methods } = this.#serving;
    health.serve(new Set(servicesOf(methods)));
    for (const path of before.keys()) rpc.unregister(path);
    for (const [path, { method }] of methods)
      registerMethod(rpc, method, (call, done) =>
        calls.begin(call, this.#serving.methods.get(path) as ServedMethod, this.#serving, done),
      );
  }

  #reflection(grpc: typeof Grpc, calls: Calls): ReflectionService {
    const newMetadata = () => new grpc.Metadata();
    const { production } = this.#services;
    let made: { readonly of: Serving['definitions']; readonly descriptors: Descriptors } | undefined;
    return new ReflectionService({
      newMetadata,
      admit: (call) => this.#serving.admission.admit(call, calls.room),
      failureStatus: (failure) => failureStatus(failure, production, newMetadata()).status,
      services: () => servicesOf(this.#serving.methods),
      descriptors: async () => {
        const { definitions } = this.#serving;
        if (made === undefined || made.of !== definitions) {
          const { Descriptors } = await import('../reflection/descriptors.ts');
          made = { of: definitions, descriptors: new Descriptors(definitions as Definitions) };
        }
        return made.descriptors;
      },
    });
  }

  #admission(requests: RequestServices | undefined): CallAdmission {
    const { tls } = this.#config;
    return new CallAdmission({
      verifier: this.#verifier,
      requests,
      clock: this.#services.clock,
      certified: tls?.enabled === true && tls.ca_cert !== undefined,
    });
  }
}

/** The services that have flows. */
function servicesOf(methods: Serving['methods']): readonly string[] {
  return [...new Set([...methods.values()].map(({ method }) => method.service))];
}
