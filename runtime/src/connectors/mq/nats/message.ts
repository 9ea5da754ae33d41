import type { Msg } from '@nats-io/transport-node';
import { Fields } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { bodyOf } from '../../intake/body.ts';
import type { BrokerMessage } from '../../intake/broker/broker-delivery.ts';
import type { Settlement } from '../../intake/driver.ts';
import { readHeaders } from './headers.ts';
import { idHeader } from './publish/stream-parameters.ts';

/** What is said of a message of a stream: it is done, it is given up, a flow is at work. */
const [acknowledged, givenUp, atWork] = ['+ACK', '+TERM', '+WPI'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];

/** What every message has, wherever it came from. */
abstract class SubjectMessage {
  readonly key: string;
  readonly id: unknown;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;

  /** Why it can never be handled; undefined where it can. */
  readonly #problem: string | undefined;

  constructor(received: Msg) {
    const { subject, data } = received;
    const { fields, problem } = readHeaders(received);
    this.key = subject;
    this.content = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    this.headers = fields;
    this.id = fields[idHeader];
    this.#problem = problem;
  }

  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>> {
    if (this.#problem !== undefined) throw new Failure('body_undecodable', `${this.named}: ${this.#problem}`);
    const body = bodyOf(content, codec);
    return body instanceof Promise ? body.then((ready) => this.variables(ready)) : this.variables(body);
  }

  /** What it is called in a log. */
  protected get named(): string {
    return `a message of the subject "${this.key}"`;
  }

  /** The variables of a flow, around a decoded body. */
  protected variables(body: unknown): Record<string, unknown> {
    const input = new Fields() as Record<string, unknown>;
    input['body'] = body;
    input['subject'] = this.key;
    input['headers'] = this.headers;
    return input;
  }
}

/** A message of a subject. The server keeps none, so that there is nothing to settle. */
export class CoreMessage extends SubjectMessage implements BrokerMessage {
  readonly returnable = false;
  readonly atMostOnce = true;

  settle(): void {}
}

/** Where a message of a stream is, as the subject says it that it is acknowledged over. */
export interface StreamPlace {
  readonly stream: string;
  readonly sequence: number;
  readonly deliveries: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** What becomes of messages of a stream. */
export interface StreamPeer {
  /** Says something over the subject that a message is acknowledged over. */
  say(reply: string, text: Uint8Array): void;
  /** The same, to have it delivered again: when nothing keeps that from being right. */
  giveBack(reply: string, text: string): void;
  /** Keeps a message that was given up; absent without a path for dead letters. Resolves when a stream has it. */
  readonly bury?: ((message: StreamMessage, reason: string) => Promise<void>) | undefined;
  /** The message occupies no place any more. */
  settled(message: StreamMessage): void;
}

/** A message of a stream, delivered to one process until it is acknowledged. */
export class StreamMessage extends SubjectMessage implements BrokerMessage {
  readonly returnable = true;
  readonly place: StreamPlace;
  readonly order: string | undefined;
  readonly origin: Readonly<Record<string, string>>;
  readonly isPlaced = true;
  readonly tries: number;
  readonly reply: string;
  readonly #peer: StreamPeer;

  constructor(received: Msg, peer: StreamPeer, orderBy: string | undefined) {
    super(received);
    this.reply = received.reply ?? '';
    this.place = placeOf(this.reply);
    this.order = orderBy === undefined ? undefined : this.#orderOf(orderBy);
    this.origin = { stream: this.place.stream, sequence: String(this.place.sequence) };
    this.tries = this.place.deliveries - 1;
    this.#peer = peer;
  }

  protected override get named(): string {
    return `message ${this.place.sequence} of stream "${this.place.stream}"`;
  }

  protected override variables(body: unknown): Record<string, unknown> {
    return Object.assign(super.variables(body), this.place);
  }

  /** Which message it is, and of which consumer: a stream that is created again counts from one again, at another time. */
  get delivered(): string {
    const [stream, consumer, , sequence, , nanoseconds] = wordsOf(this.reply);
    return `${stream}.${consumer}.${sequence}.${nanoseconds}`;
  }

  /** Tells the server that a flow is at work. */
  working(): void {
    this.#peer.say(this.reply, atWork);
  }

  get bury(): ((reason: string) => Promise<void>) | undefined {
    const { bury } = this.#peer;
    return bury && ((reason) => bury(this, reason));
  }

  settle({ kind }: Settlement): void {
    if (kind === 'requeue') this.postpone(0);
    else this.#end(kind === 'ack' ? acknowledged : givenUp);
  }

  postpone(pause: number): void {
    const text = pause > 0 ? `-NAK ${JSON.stringify({ delay: Math.round(pause * 1e6) })}` : '-NAK';
    this.#peer.giveBack(this.reply, text);
    this.#peer.settled(this);
  }

  #end(text: Uint8Array): void {
    this.#peer.say(this.reply, text);
    this.#peer.settled(this);
  }

  #orderOf(orderBy: string): string | undefined {
    if (orderBy === 'subject') return this.key;
    const value = this.headers[orderBy.slice('header.'.length)];
    return value === undefined ? undefined : String(value);
  }
}

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<sequence of the consumer>.<nanoseconds>.<pending>`; newer servers
 * have a domain and the hash of an account before the stream, and a random word at the end.
 */
function placeOf(reply: string): StreamPlace {
  const [stream = '', , deliveries, sequence, , nanoseconds] = wordsOf(reply);
  return {
    stream,
    sequence: Number(sequence),
    deliveries: Number(deliveries),
    timestamp: Math.floor(Number(nanoseconds) / 1e9),
  };
}

function wordsOf(reply: string): readonly string[] {
  const words = reply.split('.');
  return words.slice(words.length >= 11 ? 4 : 2);
}
