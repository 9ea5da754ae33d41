import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import { Content } from '../../../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { bytesOf } from '../../../../platform/content/bytes-body.ts';
import { encodeJson } from '../../../../platform/formats/json.ts';
import { answered, cancelled } from '../../../../platform/net/answered.ts';
import { ofAnswer } from '../../../../platform/net/decompress.ts';
import { bodyOf } from '../../../intake/body.ts';
import { unpackedOf } from '../../../intake/broker/packed.ts';
import type { NatsLink } from '../connection.ts';
import { answerFailure, askFailure, notSent, publishFailure, storedAs } from '../failure.ts';
import { readHeaders } from '../headers.ts';
import type { NatsConfig } from '../spec.ts';
import { checkSubject } from '../subjects.ts';
import { checkHeader, type HeaderLine, headerLines } from './outgoing-headers.ts';
import { checkSize, mostOf, type SizeLimits, tooLarge } from './outgoing-size.ts';
import { commandOf } from './publishing.ts';
import { idHeader, parameterOfHeader, parameterProblem, streamHeaders } from './stream-parameters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One message on its way. */
interface Outgoing {
  readonly subject: string;
  readonly content: string | Uint8Array;
  readonly headers: MsgHdrs | undefined;
}

type Send = (link: NatsLink, outgoing: Outgoing, request: CallRequest, limit: number) => Promise<CallResult>;

/** Publishes and asks over the connection that there is. */
export class SubjectTarget implements Target {
  readonly #connector: string;
  readonly #config: NatsConfig;
  readonly #link: () => NatsLink | undefined;

  constructor(connector: string, config: NatsConfig, link: () => NatsLink | undefined) {
    this.#connector = connector;
    this.#config = config;
    this.#link = link;
  }

  prepare(call: CallDescription): Execute {
    const { publisher, timeout } = this.#config;
    const limit = call.timeout ?? timeout;
    const isRequest = commandOf(call.operation) === 'request';
    const isStored = publisher?.confirms === true && !isRequest;
    const send = isRequest ? ask : isStored ? store : publish;
    const library = import('@nats-io/transport-node');
    library.catch(() => undefined);
    return async (request) => {
      const link = this.#link();
      if (link === undefined)
        throw new Failure('connector_refused', `connector "${this.#connector}" has no connection to its server`, {
          at: { connector: this.#connector },
        });
      if (request.cancelled ?? request.signal?.aborted) throw cancelled();
      const params = (request.params ?? {}) as Fields;
      const headers = headersOf(request, params, isStored, link.version, (await library).headers);
      const limits = { own: link.mostBytes, server: link.mostOfServer };
      const outgoing = {
        subject: subjectOf(call, request, params, publisher?.subject),
        content: await contentOf(call, request, limits),
        headers,
      };
      checkSize(outgoing.content, headers, limits);
      return answered(send(link, outgoing, request, limit), { signal: request.signal });
    };
  }
}

/** Resolves when the server has read the message. */
const publish: Send = async ({ client }, { subject, content, headers }, { signal }, limit) => {
  try {
    client.publish(subject, content, headers && { headers });
  } catch (error) {
    throw notSent(error);
  }
  await answered(client.flush(), { signal, timeout: limit }).catch((error: unknown) => {
    throw publishFailure(error);
  });
  return { affected: 1, value: { message_id: headers?.get(idHeader) || randomUUID(), subject } };
};

/** Resolves when a stream has stored the message. */
const store: Send = async ({ client }, { subject, content, headers }, { signal }, limit) => {
  const asked = client.request(subject, content, { timeout: limit, ...(headers && { headers }) });
  const answer = await answered(asked, { signal, timeout: limit }).catch((error: unknown) => {
    throw publishFailure(error, subject);
  });
  return { affected: 1, value: { message_id: headers?.get(idHeader) ?? '', subject, ...storedAs(answer) } };
};

/** Resolves with what another program answers. */
const ask: Send = async ({ client, mostBytes }, { subject, content, headers }, { signal }, limit) => {
  const asked = client.request(subject, content, { timeout: limit, ...(headers && { headers }) });
  const answer: Msg = await answered(asked, { signal, timeout: limit }).catch((error: unknown) => {
    throw askFailure(error, subject);
  });
  const { fields, problem } = readHeaders(answer);
  if (problem !== undefined)
    throw new Failure('connector_failed', `the answer of the subject "${subject}": ${problem}`);
  const failure = answerFailure(fields, subject);
  if (failure !== undefined) throw failure;
  const packed = { content: answer.data, headers: fields };
  return { value: await bodyOf(await unpackedOf(packed, mostBytes, ofAnswer), undefined) };
};

function subjectOf(
  call: CallDescription,
  { target }: CallRequest,
  params: Fields,
  standard: string | undefined,
): string {
  const subject = target ?? call.target ?? params['subject'] ?? standard;
  if (typeof subject !== 'string' || subject === '')
    throw new Failure(
      'filter_missing',
      `flow "${call.flow}" (${call.label}): neither target nor params gives a subject`,
    );
  const problem = checkSubject(subject);
  if (problem !== undefined) throw refused('subject', problem);
  return subject;
}

/** What is sent: the payload with the id of what is changed, or the bytes that the configuration names. */
function contentOf(
  { verb, flow, label, binary }: CallDescription,
  { payload, filters }: CallRequest,
  limits: SizeLimits,
): string | Uint8Array | Promise<Uint8Array> {
  const content = verb === 'update' ? { ...filters, ...payload } : payload;
  if (content === undefined)
    throw new Failure('nothing_to_write', `flow "${flow}" (${label}): there is nothing to send`);
  if (binary !== true || !('_binary' in content)) return encodeJson(content);
  const { body } = bytesOf(content);
  if (!(body instanceof Content)) return body;
  const { bytes } = body;
  if (bytes.size !== undefined && bytes.size > mostOf(limits)) throw tooLarge(bytes.size, limits);
  return bytes.once || bytes.part !== undefined ? buffer(bytes.stream()) : bytes.read();
}

function headersOf(
  { traceparent, tracestate }: CallRequest,
  params: Fields,
  isStored: boolean,
  version: string,
  make: () => MsgHdrs,
): MsgHdrs | undefined {
  const own = headerLines(params['headers'], isStored);
  if (own.problem !== undefined) throw refused('headers', own.problem);
  const trace: readonly HeaderLine[] = [
    ...(traceparent === undefined ? [] : ([['traceparent', traceparent]] as const)),
    ...(traceparent !== undefined && tracestate ? ([['tracestate', tracestate]] as const) : []),
  ];
  const lines = [
    ...trace.filter(([name]) => !own.lines.some(([written]) => written === name)),
    ...own.lines,
    ...(isStored ? [[idHeader, idOf(params['message_id'])] as const, ...streamHeaders(params, version)] : []),
  ];
  if (lines.length === 0) return undefined;
  const headers = make();
  for (const [name, value] of lines) {
    const problem = checkHeader(name, value);
    if (problem !== undefined) throw refused(parameterOfHeader(name) ?? 'headers', problem);
    headers.append(name, value);
  }
  return headers;
}

function idOf(written: unknown): string {
  if (written === undefined || written === null) return randomUUID();
  const id = textOf('message_id', written);
  const problem = parameterProblem('message_id', id);
  if (problem !== undefined) throw refused('message_id', problem);
  return id;
}

function textOf(name: string, value: unknown): string {
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  throw refused(name, 'must be a text');
}

function refused(field: string, message: string): Failure {
  const fields = [{ field, code: 'type_mismatch', message }];
  return new Failure('parameters_invalid', `the parameter "${field}": ${message}`, { fields });
}
