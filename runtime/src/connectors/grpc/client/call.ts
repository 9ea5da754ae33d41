import type * as Grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { readMessage } from '../../../platform/formats/protobuf/read.ts';
import { findMethod, isMethod, type RpcMethod } from '../../../platform/formats/protobuf/schema/methods.ts';
import { writeMessage } from '../../../platform/formats/protobuf/write.ts';
import { checkDataHeader } from '../../../platform/net/headers.ts';
import { isOfProtocol } from '../metadata.ts';
import { rpcOf, verbOfRpc } from '../operation.ts';
import { statusCodes } from '../status.ts';
import type { CallCredentials } from './call-credentials.ts';
import type { Channels, ClientConfig } from './channels.ts';
import { type Begun, begin } from './exchange.ts';
import { failureOf, isUnsent } from './failure.ts';

/** What all calls of a client share once it is open. */
export interface Peer {
  readonly name: string;
  readonly grpc: typeof Grpc;
  readonly config: ClientConfig;
  readonly services: ConnectorServices;
  readonly channels: Channels;
  readonly methods: readonly RpcMethod[];
  readonly credentials: CallCredentials;
}

/** One place that calls a method. */
export class RpcCall {
  readonly #description: CallDescription;
  #method: { readonly peer: Peer; readonly method: RpcMethod } | undefined;

  constructor(description: CallDescription) {
    this.#description = description;
  }

  /** The method that it calls. Throws a Failure where the definitions do not have it. */
  methodOf(peer: Peer): RpcMethod {
    if (this.#method?.peer === peer) return this.#method.method;
    const { operation, target, flow, label } = this.#description;
    const found = findMethod(peer.methods, rpcOf(operation, target) ?? '');
    const refuse = (says: string) =>
      new Failure('connector_failed', `flow "${flow}": ${label}: ${says}`, {
        at: { connector: peer.name },
        retriable: false,
      });
    if (!isMethod(found)) throw refuse([found.message, found.help].filter(Boolean).join('. '));
    if (found.requestStream && found.responseStream)
      throw refuse(`${found.path.slice(1)} streams in both directions, which flows cannot call`);
    this.#method = { peer, method: found };
    return found;
  }

  /** `cut` fires when the connector is closed. */
  async execute(peer: Peer, request: CallRequest, cut: AbortSignal): Promise<CallResult> {
    const method = this.methodOf(peer);
    const { config, services } = peer;
    const deadline = services.clock.elapsed() + (this.#description.timeout ?? config.timeout);
    const messages = this.#messages(peer, method, request);
    const isReading = verbOfRpc(method.name) === 'read';
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const got = peer.credentials.token(deadline, request.signal);
      const token = got instanceof Promise ? await got : got;
      const sent = { method, messages, token, left: deadline - services.clock.elapsed() };
      try {
        return this.#result(peer, method, await send(peer, sent, request, cut));
      } catch (error) {
        const failure = asStatus(error, peer, request, cut, !isReading);
        const isRefused = isStatus(error) && error.code === statusCodes.UNAUTHENTICATED && token !== undefined;
        // The token may have been withdrawn: the call is made again, with another one.
        if (isRefused && !isRenewed && peer.credentials.refused(token)) {
          isRenewed = true;
          attempt--;
          continue;
        }
        const wait = config.retry_backoff * attempt;
        const isSafe = isStatus(error) && (isUnsent(error) || (isReading && error.code === statusCodes.UNAVAILABLE));
        const isOver = attempt >= config.retry_count || deadline - services.clock.elapsed() <= wait;
        if (!isSafe || isOver || request.signal?.aborted || cut.aborted) throw failure;
        await pause(wait, [request.signal, cut]);
        if (request.signal?.aborted || cut.aborted) throw asStatus(error, peer, request, cut, !isReading);
      }
    }
  }

  #messages({ services, name }: Peer, method: RpcMethod, request: CallRequest): readonly Uint8Array[] {
    const { params, payload, filters } = request;
    if (Array.isArray(params)) throw new Failure('value_refused', 'a message has names: write params = { ... }');
    const fields = { ...filters, ...params, ...payload };
    const form = services.production
      ? {
          unknown: (path: string) =>
            services.log.warn('a field is not in the message', { connector: name, field: path }),
        }
      : {};
    const write = (value: unknown) => writeMessage(method.request, value, form);
    if (!method.requestStream) return [write(fields)];
    const { messages } = fields as { readonly messages?: unknown };
    if (!Array.isArray(messages))
      throw new Failure('value_refused', `${method.path.slice(1)} takes a stream: give it a list as \`messages\``);
    return messages.map(write);
  }

  #result({ config }: Peer, method: RpcMethod, answers: readonly Buffer[]): CallResult {
    const form = { defaults: config.emit_defaults, wellKnown: true };
    const values = answers.map(
      (bytes) => readMessage(method.response, protobuf.Reader.create(bytes), form) as Record<string, unknown>,
    );
    const { verb } = this.#description;
    if (verb === 'call') return { value: method.responseStream ? values : values[0] };
    return { rows: values, ...(verb !== 'read' && { affected: 1 }) };
  }
}

/** One try of a call. */
interface Sent {
  readonly method: RpcMethod;
  readonly messages: readonly Uint8Array[];
  readonly token: string | undefined;
  /** Milliseconds. */
  readonly left: number;
}

async function send(
  { grpc, config, channels, credentials, services }: Peer,
  { method, messages, token, left }: Sent,
  request: CallRequest,
  cut: AbortSignal,
): Promise<readonly Buffer[]> {
  const { signal } = request;
  if (signal?.aborted) throw new Failure('cancelled', 'the call was cancelled');
  const metadata = metadataOf(grpc, config, request);
  credentials.add(metadata, token);
  const options = { deadline: services.clock.now() + Math.max(1, left) };
  const call: Begun = begin(channels.pick(), { method, messages, metadata, options });
  const cancel = () => call.cancel();
  for (const each of [signal, cut]) each?.addEventListener('abort', cancel, { once: true });
  try {
    return await call.answered;
  } finally {
    for (const each of [signal, cut]) each?.removeEventListener('abort', cancel);
  }
}

function metadataOf(grpc: typeof Grpc, { wait_for_ready }: ClientConfig, request: CallRequest): Grpc.Metadata {
  const metadata = new grpc.Metadata({ waitForReady: wait_for_ready });
  if (request.traceparent !== undefined) metadata.set('traceparent', request.traceparent);
  if (request.tracestate !== undefined) metadata.set('tracestate', request.tracestate);
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    checkDataHeader(name, String(value));
    if (isOfProtocol(name)) throw new Failure('value_refused', `header "${name}" cannot be set by a message`);
    try {
      metadata.set(name, value);
    } catch (cause) {
      throw new Failure('value_refused', `the header "${name}" cannot be sent as metadata`, { cause });
    }
  }
  return metadata;
}

function isStatus(error: unknown): error is Grpc.ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

function asStatus(error: unknown, peer: Peer, request: CallRequest, cut: AbortSignal, writes: boolean): Failure {
  const at = { connector: peer.name };
  if (request.signal?.aborted) return new Failure('cancelled', 'the call was cancelled', { cause: error, at });
  if (cut.aborted) return new Failure('connector_refused', 'it is being closed', { cause: error, at });
  return isStatus(error) ? failureOf(error, peer.name, writes) : asFailure(error, at);
}

function pause(wait: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, wait);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const signal of signals) signal?.addEventListener('abort', stop, { once: true });
  });
}
