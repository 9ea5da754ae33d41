import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Content } from '../../../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import { bytesOf } from '../../../../platform/content/bytes-body.ts';
import { encodeBody } from '../../../../platform/formats/encode.ts';
import type { Codec } from '../../../../platform/formats/registry.ts';
import { checkExchange, checkName } from './commands.ts';
import type { Publication } from './confirmed-channel.ts';
import { properties } from './properties.ts';
import { tableOf } from './table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a connector, and a named operation of it, say of the messages that are sent. */
export interface Defaults {
  readonly exchange: string;
  readonly routingKey: string | undefined;
  /** Undefined: where the message goes straight to a queue. */
  readonly mandatory: boolean | undefined;
  readonly persistent: boolean;
  /** Undefined: that of the codec. */
  readonly contentType: string | undefined;
  /** Wraps the payload under this key. */
  readonly envelope: string | undefined;
  /** Bytes of the largest body. */
  readonly mostBytes: number;
  /** Who signs in: the broker takes no other `user_id`. */
  readonly user: string;
}

/** Makes the publication of each message. */
export class Composition {
  readonly #call: CallDescription;
  readonly #defaults: Defaults;
  readonly #clock: Pick<Clock, 'now'>;
  /** Of the codec that was last used. */
  #type: { readonly written: string; readonly plain: string } | undefined;

  constructor(call: CallDescription, defaults: Defaults, clock: Pick<Clock, 'now'>) {
    this.#call = call;
    this.#defaults = defaults;
    this.#clock = clock;
  }

  /** The publication of a message. Waits only for the bytes of a file that is on its way, and for a large body to be written. */
  of(request: CallRequest, codec: Codec): Publication | Promise<Publication> {
    const body = this.#body(request, codec);
    return body.content instanceof Promise
      ? body.content.then((content) => this.#publication(request, content, body.type))
      : this.#publication(request, body.content, body.type);
  }

  #body(request: CallRequest, codec: Codec): { content: Buffer | Promise<Buffer>; type: string } {
    const data = payloadOf(this.#call.verb, request);
    if (data === undefined && this.#call.verb === 'call')
      throw this.#malformed('nothing says what is sent: write body');
    if (this.#call.binary === true && typeof data === 'object' && data !== null && '_binary' in data) {
      const { body, headers } = bytesOf(data as Fields);
      const type = headers['content-type'] as string;
      return { content: body instanceof Content ? this.#bytesOf(body) : Buffer.from(body), type };
    }
    const { envelope, contentType } = this.#defaults;
    const written = encodeBody(codec, envelope === undefined ? (data ?? {}) : { [envelope]: data ?? {} });
    const type = contentType ?? this.#typeOf(codec);
    if (typeof written === 'string') return { content: Buffer.from(written), type };
    return { content: written instanceof Promise ? written.then(bufferOf) : bufferOf(written), type };
  }

  /** The media type of what a codec makes, without parameters. */
  #typeOf({ contentType }: Codec): string {
    if (this.#type?.written !== contentType)
      this.#type = { written: contentType, plain: contentType.split(';', 1)[0] as string };
    return this.#type.plain;
  }

  #bytesOf(content: Content): Buffer | Promise<Buffer> {
    const { bytes } = content;
    if (bytes.size !== undefined) this.#checkSize(bytes.size);
    // The file of a store is read from there; one that is kept is at hand.
    return bytes.once || bytes.part !== undefined ? buffer(bytes.stream()) : bytes.read();
  }

  #checkSize(bytes: number): void {
    const { mostBytes } = this.#defaults;
    if (bytes > mostBytes)
      throw new Failure('body_too_large', `the message has ${bytes} bytes, more than ${mostBytes} (max_message)`);
  }

  #publication(request: CallRequest, content: Buffer, type: string): Publication {
    this.#checkSize(content.length);
    const params = paramsOf(request);
    const { exchange, key } = this.#place(request, params);
    const own: Record<string, unknown> = {
      messageId: undefined,
      contentType: type,
      persistent: this.#defaults.persistent,
      timestamp: Math.floor(this.#clock.now() / 1000),
      mandatory: this.#mandatory(params, exchange),
      headers: headersOf(request, params),
    };
    for (const name in params) {
      const value = params[name];
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property === undefined || value === undefined || value === null) continue;
      const read = property.read(value);
      if (read === undefined) throw refused(name, property.says);
      own[property.written] = read;
    }
    own['messageId'] ??= randomUUID();
    const { user } = this.#defaults;
    if (own['userId'] !== undefined && own['userId'] !== user)
      throw refused('user_id', `must be who connects, "${user}": the broker takes no other`);
    return { exchange, key, content, options: own };
  }

  #place({ target }: CallRequest, params: Fields): { readonly exchange: string; readonly key: string } {
    const { exchange: ofConnector, routingKey } = this.#defaults;
    const exchange = params['exchange'] ?? ofConnector;
    const key = target ?? this.#call.target ?? params['routing_key'] ?? routingKey;
    if (typeof exchange !== 'string' || checkExchange(exchange) !== undefined)
      throw refused('exchange', checkExchange(exchange) as string);
    if (key === undefined || key === '') {
      if (exchange !== '') return { exchange, key: '' };
      throw this.#malformed('nothing says which queue the message goes to');
    }
    const text = typeof key === 'number' || typeof key === 'bigint' ? String(key) : key;
    const problem = checkName(text);
    if (problem !== undefined) throw refused('routing_key', problem);
    return { exchange, key: text as string };
  }

  #malformed(problem: string): Failure {
    const { flow, label } = this.#call;
    return new Failure('filter_missing', `flow "${flow}" (${label}): ${problem}`);
  }

  #mandatory(params: Fields, exchange: string): boolean {
    const written = params['mandatory'] ?? this.#defaults.mandatory ?? exchange === '';
    if (typeof written !== 'boolean') throw refused('mandatory', 'must be true or false');
    return written;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What is sent: the payload, with the id of what is changed; of a deletion its keys. */
function payloadOf(verb: CallDescription['verb'], { payload, filters, address }: CallRequest): unknown {
  if (verb === 'update') return { ...filters, ...payload };
  return verb === 'delete' ? { ...address, ...payload } : payload;
}

function headersOf({ traceparent, tracestate }: CallRequest, { headers }: Fields): Record<string, unknown> {
  const trace = traceparent === undefined ? {} : { traceparent, ...(tracestate && { tracestate }) };
  return headers === undefined || headers === null ? trace : { ...trace, ...tableOf(headers) };
}

export function paramsOf({ params }: CallRequest): Fields {
  return params === undefined || Array.isArray(params) ? {} : (params as Fields);
}

export function refused(field: string, message: string): Failure {
  const fields = [{ field, code: 'type_mismatch', message }];
  return new Failure('parameters_invalid', `the parameter "${field}" ${message}`, { fields });
}
