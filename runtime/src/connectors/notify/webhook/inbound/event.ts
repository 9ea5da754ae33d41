import type { IncomingMessage } from 'node:http';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { type Codec, codecOf, formatOf } from '../../../../platform/formats/registry.ts';
import { textOf } from '../../../../platform/formats/text.ts';
import { type MediaType, parseMediaType } from '../../../../platform/http/body/media-type.ts';

/** Headers in which senders say what happened, those before others first. */
const typeHeaders = [
  'x-webhook-event',
  'x-event-type',
  'x-github-event',
  'x-gitlab-event',
  'x-stripe-event',
  'x-event-key',
] as const;

/** Fields of bodies in which senders say it. */
const typeFields = ['type', 'event', 'event_type', 'action', 'eventType'] as const;

/** Headers in which senders identify a webhook, for each of its deliveries. */
const idHeaders = ['x-webhook-id', 'webhook-id', 'x-github-delivery', 'idempotency-key'] as const;

/** What happened; undefined where neither the headers nor the body say it. */
export function typeOf(headers: IncomingMessage['headers'], body: unknown): string | undefined {
  const named = firstText(headers, typeHeaders);
  if (named !== undefined || typeof body !== 'object' || body === null) return named;
  return firstText(body as Readonly<Record<string, unknown>>, typeFields);
}

/** What the sender calls the webhook. */
export function idOf(headers: IncomingMessage['headers']): string | undefined {
  return firstText(headers, idHeaders);
}

function firstText(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Loads what bodies are read with. */
export async function bodyCodecs(): Promise<ReadonlyMap<string, Codec>> {
  const names = ['json', 'form'] as const;
  return new Map(await Promise.all(names.map(async (name) => [name, await codecOf(name)] as const)));
}

/**
 * JSON and forms as values, everything else as a text; undefined without a body. Throws or rejects with a Failure for a body
 * that is not what its type says.
 */
export function readEvent(
  bytes: Buffer,
  contentType: string | undefined,
  codecs: ReadonlyMap<string, Codec>,
): unknown | Promise<unknown> {
  if (bytes.length === 0) return null;
  const type: MediaType | undefined = contentType === undefined ? undefined : parseMediaType(contentType);
  const charset = type?.parameters.get('charset');
  const codec = type && codecs.get(formatOf(type.type) ?? '');
  return codec === undefined ? textOf(bytes, charset) : decodeBody(codec, bytes, { charset });
}
