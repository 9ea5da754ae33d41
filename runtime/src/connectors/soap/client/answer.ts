import { asFailure } from '../../../foundation/errors/classify.ts';
import { answerBudget } from '../../../platform/formats/budget.ts';
import { mediaType, retryAfterOf, shownOf, single } from '../../../platform/net/client/answer.ts';
import { type HttpAnswer, HttpFailure } from '../../../platform/net/request.ts';
import { faultOf, type ReadFault } from '../envelope/fault.ts';
import { readEnvelope } from '../envelope/read.ts';
import type { Envelope } from '../envelope/reader.ts';

const types = new Set(['text/xml', 'application/soap+xml', 'application/xml']);

/** Characters of the detail of a fault that are part of messages. */
const shownDetail = 4096;

/**
 * The content of the element in an answer: fields by local name. Rejects with `upstream_error` for a fault, whatever its
 * status, and for a status of 400 or more without one; with `connector_failed` for what is not an envelope.
 */
export async function readAnswer(answer: HttpAnswer, now: number): Promise<Readonly<Record<string, unknown>>> {
  const { status, body, headers } = answer;
  const [type, charset] = mediaType(single(headers['content-type']) ?? '');
  const isEnvelope = types.has(type) && body.length > 0;
  if (status >= 300) {
    const envelope = isEnvelope ? await read(body, charset).catch(() => undefined) : undefined;
    const fault = envelope && faultOf(envelope);
    throw fault === undefined ? withoutFault(answer, now) : faultFailure(fault, answer, now);
  }
  if (body.length === 0) return {};
  if (type.startsWith('multipart/'))
    throw unusable(`it has attachments (MTOM, ${type.slice(0, 80)}), which are not read`);
  if (!isEnvelope) throw unusable(`it is of type ${JSON.stringify(type.slice(0, 80))}, not XML`);
  let envelope: Envelope;
  try {
    envelope = await read(body, charset);
  } catch (error) {
    throw unusable(asFailure(error).message, error);
  }
  const fault = faultOf(envelope);
  if (fault !== undefined) throw faultFailure(fault, answer, now);
  return contentOf(envelope);
}

async function read(body: Buffer, charset: string | undefined): Promise<Envelope> {
  return readEnvelope(body, charset, answerBudget);
}

/** A text beside no elements is in `value`. */
function contentOf({ content }: Envelope): Readonly<Record<string, unknown>> {
  if (typeof content === 'object' && content !== null) return content as Readonly<Record<string, unknown>>;
  return content === undefined || content === null || content === '' ? {} : { value: content };
}

function faultFailure({ code, text, detail }: ReadFault, answer: HttpAnswer, now: number): HttpFailure {
  const shown = detailText(detail);
  const message = `SOAP Fault: [${code}] ${text.slice(0, shownDetail)}${shown === '' ? '' : ` — ${shown}`}`;
  return new HttpFailure('upstream_error', message, true, upstreamOf(answer, now));
}

function withoutFault(answer: HttpAnswer, now: number): HttpFailure {
  const message = `SOAP HTTP error ${answer.status}: ${shownOf(answer.body)}`;
  return new HttpFailure('upstream_error', message, true, upstreamOf(answer, now));
}

function upstreamOf(answer: HttpAnswer, now: number) {
  const { status, body } = answer;
  return { upstream: { status, body: shownOf(body) }, retryAfter: retryAfterOf(answer, now) };
}

function detailText(detail: unknown): string {
  if (detail === undefined || detail === null) return '';
  return (typeof detail === 'string' ? detail : JSON.stringify(detail)).slice(0, shownDetail);
}

function unusable(why: string, cause?: unknown): HttpFailure {
  return new HttpFailure('connector_failed', `the answer cannot be used: ${why}`, true, { cause, retriable: false });
}
