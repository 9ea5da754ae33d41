import type { Binding } from '../../../../foundation/contracts/source.ts';
import { encodeJson } from '../../../../platform/formats/json.ts';
import type { PatternGrammar } from '../../../intake/dispatch/routes.ts';
import type { Delivery, Driver } from '../../../intake/driver.ts';
import type { Peer } from '../call.ts';
import { LiveStream, streamOf } from './live-stream.ts';
import { StreamMessage } from './message.ts';
import type { WantedStream } from './wanted-stream.ts';

export interface StreamSettings {
  readonly workers: number;
  readonly prefetch: number;
  /** Milliseconds. */
  readonly max_reconnect_interval: number;
}

/** What flows name is one stream each. */
const streams: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: false };

/** The same for the flows of one stream. */
export function keyOf({ operation, message }: WantedStream): string {
  return `${operation} ${encodeJson(message ?? {})}`;
}

/**
 * Delivers the messages of streams, for the intake. A server keeps none, so that what is delivered and not handled is lost; what
 * there is no room for waits at the server, which is sent no window for it.
 */
export class StreamDriver implements Driver {
  readonly type = 'grpc_client';
  readonly patterns = streams;
  readonly follows = 'flows';
  readonly name: string;
  readonly window: number;
  readonly workers: number;
  readonly #settings: StreamSettings;
  readonly #wanted = new Map<string, WantedStream>();
  readonly #live = new Map<string, LiveStream>();
  #followed: ReadonlySet<string> = new Set();
  #peer: Peer | undefined;
  #deliver: ((delivery: Delivery) => void) | undefined;
  #window = 0;
  #held = 0;

  constructor(name: string, settings: StreamSettings) {
    this.name = name;
    this.#settings = settings;
    this.window = settings.prefetch;
    this.workers = settings.workers;
  }

  /** A binding whose operation is the key of its stream. */
  named(binding: Binding): Binding {
    const wanted = { operation: binding.operation ?? '', message: binding.words['message'] };
    const key = keyOf(wanted);
    this.#wanted.set(key, wanted);
    return { ...binding, operation: key };
  }

  /** Throws where a peer does not have the stream of a binding that `named` made. */
  check(peer: Peer, bindings: readonly Binding[]): void {
    for (const { operation = '' } of bindings) {
      const wanted = this.#wanted.get(operation);
      if (wanted !== undefined) streamOf(peer, wanted.operation);
    }
  }

  /** From now on streams are begun at this peer; undefined: they end. */
  use(peer: Peer | undefined): void {
    this.#peer = peer;
    if (peer !== undefined) return;
    for (const stream of this.#live.values()) stream.end();
    this.#live.clear();
  }

  follow(bindings: readonly Binding[]): boolean {
    this.#followed = new Set(bindings.flatMap(({ operation }) => operation ?? []));
    return true;
  }

  async subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void> {
    this.#window = window;
    this.#deliver = deliver;
    for (const [key, stream] of this.#live) {
      if (this.#followed.has(key)) continue;
      stream.end();
      this.#live.delete(key);
    }
    for (const key of this.#followed) this.#begin(key);
    this.#regulate();
  }

  /** What comes meanwhile waits at the server. */
  async unsubscribe(): Promise<void> {
    this.#deliver = undefined;
    this.#regulate();
  }

  /** Why a stream brings nothing; undefined while all run. */
  get problem(): string | undefined {
    return [...this.#live.values()].map(({ problem }) => problem).find((problem) => problem !== undefined);
  }

  #begin(key: string): void {
    const peer = this.#peer;
    const wanted = this.#wanted.get(key);
    if (peer === undefined || wanted === undefined || this.#live.has(key)) return;
    const receive = (bytes: Buffer, stream: LiveStream) => this.#receive(key, bytes, stream);
    this.#live.set(key, new LiveStream(peer, wanted, this.#settings.max_reconnect_interval, receive));
  }

  #receive(key: string, bytes: Buffer, stream: LiveStream): void {
    const deliver = this.#deliver;
    const { method, defaults } = stream;
    // What was on its way when the window was closed is not lost.
    if (deliver === undefined) return stream.keep(bytes);
    this.#held++;
    deliver(new StreamMessage({ key, bytes, type: method.response, defaults, settled: () => this.#settled() }));
    this.#regulate();
  }

  #settled(): void {
    this.#held--;
    this.#regulate();
  }

  #regulate(): void {
    const isOpen = this.#deliver !== undefined && this.#held < this.#window;
    for (const stream of this.#live.values()) stream.regulate(isOpen);
  }
}
