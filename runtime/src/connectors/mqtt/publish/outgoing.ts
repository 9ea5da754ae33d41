import type { IClientPublishOptions, MqttClient } from 'mqtt';
import { Failure } from '../../../foundation/errors/failure.ts';
import { answeredWith } from '../reason.ts';

/** One message on its way to the broker. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly options: IClientPublishOptions & { readonly qos: 0 | 1 | 2; readonly retain: boolean };
  /** Bytes of its packet, at least. */
  readonly size: number;
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (failure: Failure) => void;
}

/** What a broker of version 5 says of itself when a client connects. */
interface ServerLimits {
  readonly receiveMaximum?: number;
  readonly maximumQoS?: number;
  readonly retainAvailable?: boolean;
  readonly maximumPacketSize?: number;
}

const lost = 'the connection to the broker was lost';

/**
 * The messages that are published over one connection: at most a window of them has no answer of the broker, further
 * ones wait. A message that was given up keeps its place until the broker has answered, since it counts it.
 */
export class Outgoing {
  readonly #client: MqttClient;
  readonly #most: number;
  readonly #mostBytes: number;
  /** Rejects those that were sent and have no answer. */
  readonly #sent = new Set<(failure: Failure) => void>();
  readonly #waiting = new Set<Waiting>();
  /** Places of the window that are taken. */
  #taken = 0;
  #idle: (() => void)[] = [];

  /** `mostBytes` is what this side takes of one message, for people. */
  constructor(client: MqttClient, most: number, mostBytes: number) {
    this.#client = client;
    this.#most = most;
    this.#mostBytes = mostBytes;
    client.on('close', () => this.#end());
  }

  /**
   * Resolves when the broker has taken the message over: with quality of service 0 when it is on its way. Rejects with
   * `outcome_unknown` when the connection is lost before the broker has answered. It is not sent once `signal` has fired.
   */
  async publish(message: OutgoingMessage, signal: AbortSignal): Promise<void> {
    this.#check(message);
    signal.throwIfAborted();
    if (this.#taken < this.#window) this.#taken++;
    else await this.#place(signal);
    if (this.#client.connected) return this.#send(message);
    this.#free();
    throw new Failure('connector_refused', lost);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  get #limits(): ServerLimits {
    return (this.#client as unknown as { readonly serverProperties?: ServerLimits }).serverProperties ?? {};
  }

  get #window(): number {
    return Math.min(this.#most, this.#limits.receiveMaximum ?? this.#most);
  }

  /** A broker ends the connection, and with it everything under way, over a message that it said it does not take. */
  #check({ options: { qos, retain }, size }: OutgoingMessage): void {
    const { maximumQoS = 2, retainAvailable = true, maximumPacketSize = Number.POSITIVE_INFINITY } = this.#limits;
    const problem =
      qos > maximumQoS
        ? `it takes messages with a quality of service of at most ${maximumQoS}`
        : retain && !retainAvailable
          ? 'it keeps no messages (retain)'
          : size > maximumPacketSize
            ? `it takes packets of at most ${maximumPacketSize} bytes (maximum packet size), and this one has up to ${size}: max_message is ${this.#mostBytes}`
            : undefined;
    if (problem !== undefined)
      throw new Failure('connector_failed', `the broker refuses the message: ${problem}`, { retriable: false });
  }

  #place(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => waiting.refuse(signal.reason);
    const ended = () => {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', abort);
    };
    const waiting: Waiting = {
      enter: () => {
        ended();
        resolve();
      },
      refuse: (failure) => {
        ended();
        reject(failure);
      },
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.add(waiting);
    return promise;
  }

  #send({ topic, payload, options }: OutgoingMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#sent.add(reject);
    this.#client.publish(topic, payload, options, (error) => {
      // The connection has ended before.
      if (!this.#sent.delete(reject)) return;
      if (error) reject(answeredWith(error));
      else resolve();
      this.#free();
    });
    return promise;
  }

  /** Hands a place to the message that has waited longest. */
  #free(): void {
    const [next] = this.#waiting;
    if (next !== undefined) return next.enter();
    this.#taken--;
    if (this.#taken === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #end(): void {
    for (const waiting of [...this.#waiting]) waiting.refuse(new Failure('connector_refused', lost));
    const unanswered = new Failure('outcome_unknown', `${lost} before the broker had acknowledged the message`);
    for (const reject of this.#sent) reject(unanswered);
    this.#sent.clear();
    this.#taken = 0;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
