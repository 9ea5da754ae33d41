import type { Metadata } from '@grpc/grpc-js';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { protoFilesIn } from '../../../platform/formats/protobuf/proto-files.ts';
import { methodsOf, type RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { asksServer } from '../../../platform/formats/protobuf/schema/read.ts';
import { CallsUnderWay } from '../../../platform/net/calls-under-way.ts';
import { fired } from '../../../platform/net/fired.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { Intake } from '../../intake/intake.ts';
import { knownMethods } from '../schema/known-methods.ts';
import { readMethods } from '../schema/project-files.ts';
import { askReflection } from './ask-reflection.ts';
import { type Peer, RpcCall } from './call.ts';
import { CallCredentials } from './call-credentials.ts';
import { Channels, type ClientConfig, encryptionOf } from './channels.ts';
import { type grpcClient, usualStreams } from './spec.ts';
import { StreamDriver } from './stream/driver.ts';

export const create: Factory<typeof grpcClient> = (name, config, services) => new GrpcClient(name, config, services);

/** Calls methods of one gRPC server, or of several that are the same. */
class GrpcClient implements Connector {
  readonly name: string;
  readonly target: Target;
  /** What becomes of the messages of streams. */
  readonly source: Source;
  readonly #driver: StreamDriver;
  readonly #intake: Intake;
  readonly #config: ClientConfig;
  readonly #services: ConnectorServices;
  /** Calls whose methods were not looked for yet. */
  readonly #prepared = new Set<RpcCall>();
  readonly #running = new CallsUnderWay();
  #cut = new AbortController();
  #peer: Peer | undefined;

  constructor(name: string, config: ClientConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#driver = new StreamDriver(config.target, config.streams ?? usualStreams);
    this.#intake = new Intake(this.#driver, { connector: name, services });
    this.source = {
      events: this.#intake.events,
      bind: (bindings) => this.#bind(bindings),
      start: () => this.#intake.start(),
      stop: (cut) => this.#intake.stop(cut),
    };
    this.target = {
      prepare: (description) => {
        const call = new RpcCall(description);
        this.#prepared.add(call);
        return (request) => {
          const peer = this.#opened();
          if (this.#running.size >= config.max_calls)
            throw this.#failure('connector_busy', `${config.max_calls} calls are under way (max_calls)`);
          return this.#running.track(call.execute(peer, request, this.#cut.signal));
        };
      },
    };
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.openTarget(signal);
    this.#driver.use(this.#peer);
    await this.#intake.connected();
  }

  /** Reads the definitions and connects. Rejects where a flow calls a method that they do not have. */
  async openTarget(signal: AbortSignal): Promise<void> {
    if (this.#peer !== undefined) return;
    const { connect_timeout } = this.#config;
    const written = this.#isAsked() ? undefined : this.#written();
    const grpc = await import('@grpc/grpc-js');
    const material = await readTls(this.#config.tls, this.#services);
    const tls = encryptionOf(this.#config, material);
    const { timeout } = this.#config;
    const credentials = await CallCredentials.open(this.#config.auth, timeout, material, this.#services);
    const metadata = () => metadataFor(grpc, credentials, this.#services.clock.elapsed() + timeout);
    const channels = new Channels(grpc, this.#config, tls, metadata);
    const { clock } = this.#services;
    const shared = { name: this.name, grpc, config: this.#config, services: this.#services, channels, credentials };
    let peer: Peer;
    try {
      if (written !== undefined) this.#check({ ...shared, methods: written });
      const deadline = clock.now() + connect_timeout;
      await credentials.token(clock.elapsed() + connect_timeout, signal);
      await this.#ready(channels, deadline, signal);
      peer = { ...shared, methods: written ?? (await this.#asked(channels, await metadata(), deadline, signal)) };
      if (written === undefined) this.#check(peer);
    } catch (error) {
      channels.close();
      await credentials.close();
      throw error;
    }
    this.#prepared.clear();
    this.#cut = new AbortController();
    this.#peer = peer;
  }

  #check(peer: Peer, streams: readonly Binding[] = []): void {
    for (const call of this.#prepared) call.methodOf(peer);
    this.#driver.check(peer, streams);
  }

  #bind(bindings: readonly Binding[]): BoundFlows {
    const named = bindings.map((binding) => this.#driver.named(binding));
    const bound = this.#intake.bind(named);
    const prepare = async () => {
      await bound.prepare();
      await this.#lookAgain(named);
    };
    return { ...bound, prepare };
  }

  /** Flows that came while the connector is open may name what the server did not have when it was asked. */
  async #lookAgain(streams: readonly Binding[]): Promise<void> {
    const peer = this.#peer;
    if (peer === undefined) return;
    try {
      if (this.#isAsked() && !this.#hasAll(peer, streams)) {
        this.#peer = await this.#askedAgain(peer);
        this.#driver.use(this.#peer);
      }
      this.#check(this.#peer ?? peer, streams);
    } finally {
      this.#prepared.clear();
    }
  }

  #hasAll(peer: Peer, streams: readonly Binding[]): boolean {
    try {
      this.#check(peer, streams);
      return true;
    } catch {
      return false;
    }
  }

  async #askedAgain(peer: Peer): Promise<Peer> {
    const { clock } = this.#services;
    const { connect_timeout: time } = this.#config;
    const metadata = await metadataFor(peer.grpc, peer.credentials, clock.elapsed() + time);
    const methods = await this.#asked(peer.channels, metadata, clock.now() + time, this.#cut.signal);
    return { ...peer, methods };
  }

  /** Whether the server says what it has. */
  #isAsked(): boolean {
    return asksServer(this.#config, (folder) => protoFilesIn(this.#services.directory, folder));
  }

  #written(): readonly RpcMethod[] {
    const { proto_path, proto_files } = this.#config;
    return readMethods(this.#services.directory, { proto_path, proto_files }, this.name).methods;
  }

  async #asked(
    channels: Channels,
    metadata: Metadata,
    deadline: number,
    signal: AbortSignal,
  ): Promise<readonly RpcMethod[]> {
    const asked = askReflection(channels.pick(), metadata, deadline).catch((cause: Error) => {
      throw this.#failure('connector_refused', `the server cannot be asked what it has: ${cause.message}`, cause);
    });
    const { root } = await Promise.race([asked, this.#given(signal)]);
    return methodsOf(root);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    await this.#intake.stop(cut);
    this.#driver.use(undefined);
    this.#intake.disconnected();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    const peer = this.#peer;
    this.#peer = undefined;
    const done = this.#running.settled();
    await Promise.race([done, fired(cut)]);
    this.#cut.abort();
    await done;
    peer?.channels.close();
    await peer?.credentials.close();
  }

  /** Asks whether the server serves; of several, which do not. */
  async check(signal: AbortSignal): Promise<string | void> {
    const { channels, grpc, credentials } = this.#opened();
    const { clock } = this.#services;
    const { connect_timeout: time } = this.#config;
    const metadata = await metadataFor(grpc, credentials, clock.elapsed() + time);
    const asked = channels.check(metadata, clock.now() + time).catch((cause: Error) => {
      throw this.#failure('connector_refused', cause.message, cause);
    });
    const reason = await Promise.race([asked, this.#given(signal)]);
    return this.#driver.problem ?? reason;
  }

  async knownTargets(): Promise<readonly KnownTarget[]> {
    return knownMethods(this.#peer?.methods ?? []);
  }

  async #ready(channels: Channels, deadline: number, signal: AbortSignal): Promise<void> {
    const { target, load_balancing: balancing } = this.#config;
    const where = balancing?.targets?.join(', ') ?? target;
    const ready = channels.ready(deadline).catch(() => {
      throw this.#failure('connector_refused', `${where} cannot be reached`);
    });
    await Promise.race([ready, this.#given(signal)]);
  }

  async #given(signal: AbortSignal): Promise<never> {
    await fired(signal);
    throw this.#failure('connector_refused', 'the server cannot be reached: the attempt was ended');
  }

  #opened(): Peer {
    if (this.#peer !== undefined) return this.#peer;
    throw this.#failure('connector_refused', `connector "${this.name}" is not open`);
  }

  #failure(code: 'connector_refused' | 'connector_busy', message: string, cause?: Error): Failure {
    return new Failure(code, message, { at: { connector: this.name }, cause });
  }
}

/** The credentials of a question that no flow asks. */
async function metadataFor(grpc: Peer['grpc'], credentials: CallCredentials, end: number): Promise<Metadata> {
  const metadata = new grpc.Metadata();
  credentials.add(metadata, await credentials.token(end, undefined));
  return metadata;
}
