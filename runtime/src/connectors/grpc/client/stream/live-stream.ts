import type * as Grpc from '@grpc/grpc-js';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { findMethod, isMethod, type RpcMethod } from '../../../../platform/formats/protobuf/schema/methods.ts';
import { writeMessage } from '../../../../platform/formats/protobuf/write.ts';
import { backoffDelay } from '../../../../platform/net/backoff.ts';
import { statusCodes, statusName } from '../../status.ts';
import type { Peer } from '../call.ts';
import type { WantedStream } from './wanted-stream.ts';

const asIs = (bytes: Buffer) => bytes;
/** Characters of the reason of a server. */
const longestReason = 1_000;

/** One stream of a server: begun again, after growing waits, when it ends or its connection is lost. */
export class LiveStream {
  readonly method: RpcMethod;
  readonly defaults: boolean;
  /** Why it brings nothing; undefined while it runs. */
  problem: string | undefined;
  readonly #peer: Peer;
  readonly #wanted: WantedStream;
  readonly #asked: Buffer;
  readonly #longestWait: number;
  readonly #receive: (bytes: Buffer, stream: LiveStream) => void;
  readonly #ended = new AbortController();
  #call: Grpc.ClientReadableStream<Buffer> | undefined;
  #isOpen = true;
  #kept: Buffer[] = [];
  #tries = 0;

  constructor(
    peer: Peer,
    wanted: WantedStream,
    longestWait: number,
    receive: (bytes: Buffer, stream: LiveStream) => void,
  ) {
    this.#peer = peer;
    this.#wanted = wanted;
    this.#longestWait = longestWait;
    this.#receive = receive;
    this.method = streamOf(peer, wanted.operation);
    this.#asked = Buffer.from(writeMessage(this.method.request, wanted.message ?? {}, {}));
    this.defaults = peer.config.emit_defaults;
    void this.#begin();
  }

  /** Takes messages, or leaves them at the server. */
  regulate(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    if (!isOpen) return void this.#call?.pause();
    this.#call?.resume();
    const kept = this.#kept;
    this.#kept = [];
    for (const bytes of kept) this.#receive(bytes, this);
  }

  /** A message that came although none was wanted. */
  keep(bytes: Buffer): void {
    this.#kept.push(bytes);
  }

  end(): void {
    this.#ended.abort();
    this.#call?.cancel();
  }

  async #begin(): Promise<void> {
    const { grpc, config, credentials, channels, services } = this.#peer;
    const { signal } = this.#ended;
    let isOver = false;
    // A stream that fails ends too.
    const over = (reason: string) => {
      if (isOver || signal.aborted) return;
      isOver = true;
      this.#again(reason);
    };
    try {
      const token = await credentials.token(services.clock.elapsed() + config.timeout, signal);
      if (signal.aborted) return;
      const metadata = new grpc.Metadata({ waitForReady: config.wait_for_ready });
      credentials.add(metadata, token);
      const call = channels.pick().makeServerStreamRequest(this.method.path, asIs, asIs, this.#asked, metadata, {});
      this.#call = call;
      call.on('metadata', () => (this.problem = undefined));
      call.on('data', (bytes: Buffer) => {
        this.#tries = 0;
        this.problem = undefined;
        this.#receive(bytes, this);
      });
      call.on('error', ({ code, details }: Grpc.ServiceError) => {
        if (code === statusCodes.UNAUTHENTICATED && token !== undefined) credentials.refused(token);
        over(`${statusName(code)}: ${details.slice(0, longestReason)}`);
      });
      call.on('end', () => over('the server ended it'));
      if (!this.#isOpen) call.pause();
    } catch (error) {
      over(error instanceof Error ? error.message : String(error));
    }
  }

  #again(reason: string): void {
    const { log, clock } = this.#peer.services;
    const { operation: stream } = this.#wanted;
    this.#call = undefined;
    this.#tries++;
    this.problem = `stream ${stream}: ${reason}`;
    log.warn('a stream has ended; it is begun again', { stream, reason });
    const maxDelay = this.#longestWait;
    const backoff = { kind: 'exponential', delay: Math.min(1_000, maxDelay), maxDelay, jitter: true } as const;
    clock.sleep(backoffDelay(backoff, this.#tries), this.#ended.signal).then(
      () => this.#begin(),
      () => undefined,
    );
  }
}

/** The method of a stream that flows take. Throws a Failure where the definitions do not have it. */
export function streamOf({ methods, name }: Pick<Peer, 'methods' | 'name'>, operation: string): RpcMethod {
  const found = findMethod(methods, operation);
  if (isMethod(found) && found.responseStream && !found.requestStream) return found;
  const says = isMethod(found)
    ? `${found.path.slice(1)} answers no stream, so that it has no events`
    : [found.message, found.help].filter(Boolean).join('. ');
  throw new Failure('connector_failed', says, { at: { connector: name }, retriable: false });
}
