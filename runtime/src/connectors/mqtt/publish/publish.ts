import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest, Execute } from '../../../foundation/contracts/target.ts';
import type { FixedWords } from '../../../foundation/contracts/words.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { encodeBody } from '../../../platform/formats/encode.ts';
import { type Codec, codecOf, isFormat } from '../../../platform/formats/registry.ts';
import { textProblem } from '../characters.ts';
import { type MessageParameters, parametersIn } from '../parameters.ts';
import type { MqttConfig } from '../spec.ts';
import { checkTopic } from '../topics.ts';
import type { OutgoingMessage } from './outgoing.ts';
import type { publishWords } from './spec.ts';

/** Bytes of a packet beside its texts and payload, at most: fixed header, lengths, identifier, properties of fixed size. */
const framing = 64;
/** Bytes that a user property takes beside its two texts. */
const propertyFraming = 5;

type Fields = Readonly<Record<string, unknown>>;
type PublishDescription = CallDescription<FixedWords<typeof publishWords>>;

/** What a prepared call needs of its connector. */
export interface PublishPlace {
  readonly connector: string;
  readonly config: MqttConfig;
  /** Throws while the connector is not open. */
  readonly publish: (message: OutgoingMessage, timeout: number, caller: AbortSignal | undefined) => Promise<void>;
}

interface Payload {
  readonly bytes: Buffer;
  readonly type: string | undefined;
  readonly isText: boolean;
}

/** Prepares one place that publishes. The codec is loaded with the first message. */
export function preparePublish({ connector, config, publish }: PublishPlace, call: PublishDescription): Execute {
  const { format = 'json' } = call.words ?? {};
  const timeout = call.timeout ?? config.publish_timeout;
  let codec: Codec | undefined;
  return async (request): Promise<CallResult> => {
    if (codec === undefined) {
      if (!isFormat(format)) throw new Failure('internal', `there is no format "${format}"`);
      codec = await codecOf(format);
    }
    const topic = topicOf(call, request, config, connector);
    const { qos, retain, properties: own, headers } = parametersIn(request.params, config);
    const payload = await payloadOf(request.payload ?? {}, codec, call.binary === true, config.max_message);
    const properties =
      config.protocol_version === '5' ? { ...own, ...described(request, payload, headers) } : undefined;
    const size = framing + Buffer.byteLength(topic) + payload.bytes.length + sizeOf(properties);
    if (size - framing > config.max_message)
      throw refused(
        connector,
        `the message has ${size - framing} bytes, more than ${config.max_message} (max_message)`,
      );
    await publish(
      { topic, payload: payload.bytes, size, options: { qos, retain, ...(properties && { properties }) } },
      timeout,
      request.signal,
    );
    return { affected: 1, value: { topic, qos, retain } };
  };
}

/** The topic that is written, that the message names, or that of the connector. */
function topicOf(call: PublishDescription, request: CallRequest, config: MqttConfig, connector: string): string {
  const topic = call.target ?? request.target ?? config.topic;
  if (topic === undefined)
    throw refused(connector, 'the message has no topic: write target, or topic into the connector');
  // The connector refuses bad ones that are written; this one may have come with a message.
  const problem = checkTopic(topic);
  if (problem !== undefined) throw new Failure('value_refused', problem, { at: { connector } });
  return topic;
}

/** `_raw` alone is sent as it is, as it would arrive; `_binary` that the configuration names is bytes; else the codec writes it. */
async function payloadOf(fields: Fields, codec: Codec, binary: boolean, most: number): Promise<Payload> {
  if (binary) return bytesOf(fields, most);
  const names = Object.keys(fields);
  const raw = names.length === 1 && names[0] === '_raw' ? fields['_raw'] : undefined;
  if (raw instanceof Uint8Array) return { bytes: bufferOf(raw), type: undefined, isText: false };
  if (typeof raw === 'string') return { bytes: Buffer.from(raw), type: undefined, isText: true };
  const written = await encodeBody(codec, fields);
  const type = codec.contentType;
  return typeof written === 'string'
    ? { bytes: Buffer.from(written), type, isText: true }
    : { bytes: bufferOf(written), type, isText: false };
}

function bytesOf({ _binary: content, _content_type: written }: Fields, most: number): Payload | Promise<Payload> {
  const own = content instanceof Content ? content.content_type : undefined;
  const type = typeof written === 'string' && written !== '' ? written : own;
  const problem = type && textProblem(type, '_content_type');
  if (problem) throw new Failure('value_refused', problem);
  if (content instanceof Content) return readWithin(content, most).then((bytes) => ({ bytes, type, isText: false }));
  if (content instanceof Uint8Array) return { bytes: bufferOf(content), type, isText: false };
  if (typeof content === 'string') return { bytes: Buffer.from(content, 'base64'), type, isText: false };
  throw new Failure('value_refused', '_binary is neither a file, nor bytes, nor base64');
}

/** The bytes of a file, which need not be kept here. More than may be sent is not read into memory to be refused. */
async function readWithin({ bytes }: Content, most: number): Promise<Buffer> {
  const tooMany = () => new Failure('value_refused', `_binary has more than ${most} bytes (max_message)`);
  if (bytes.size !== undefined && bytes.size > most) throw tooMany();
  if (bytes.inMemory !== undefined) return bufferOf(bytes.inMemory);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes.stream() as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > most) throw tooMany();
    // What is streamed may be written over by its sender.
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What version 5 says of every payload (MQTT 5, 3.3.2.3). Trace context travels in user properties. */
function described({ traceparent, tracestate }: CallRequest, payload: Payload, headers: MessageParameters['headers']) {
  const userProperties = {
    ...(isCarried(traceparent) && { traceparent }),
    ...(isCarried(tracestate) && { tracestate }),
    ...headers,
  };
  return {
    payloadFormatIndicator: payload.isText,
    ...(payload.type !== undefined && { contentType: payload.type }),
    ...(Object.keys(userProperties).length > 0 && { userProperties }),
  };
}

/** Whether a text of the trace of a message can be sent: its sender may have written anything. */
function isCarried(text: string | undefined): boolean {
  return text !== undefined && textProblem(text, 'a value') === undefined;
}

/** Bytes of the properties whose size messages decide, at most. */
function sizeOf(properties: (ReturnType<typeof described> & MessageParameters['properties']) | undefined): number {
  const { userProperties = {}, responseTopic = '', correlationData } = properties ?? {};
  let sum = Buffer.byteLength(responseTopic) + (correlationData?.length ?? 0);
  for (const [name, values] of Object.entries(userProperties))
    for (const value of [values].flat()) sum += propertyFraming + Buffer.byteLength(name) + Buffer.byteLength(value);
  return sum;
}

function refused(connector: string, message: string): Failure {
  return new Failure('connector_failed', message, { at: { connector }, retriable: false });
}
