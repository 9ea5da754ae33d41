import type { Content, ContentOwner } from '../../foundation/contracts/content.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Spool } from '../../platform/content/spool.ts';
import { answerBudget } from '../../platform/formats/budget.ts';
import { decodeBody } from '../../platform/formats/decode.ts';
import { type FormatName, formatOf, isTextFormat } from '../../platform/formats/registry.ts';
import { mediaType, single } from '../../platform/net/client/answer.ts';
import { type HttpAnswer, HttpFailure } from '../../platform/net/request.ts';
import type { Codecs } from './peer.ts';

/** Types of applications that are text, beside those of the formats. */
const textual =
  /^(?:text\/|message\/|application\/(?:javascript|ecmascript|graphql|sql|toml|yaml|x-yaml|x-ndjson|jsonl)$)|[+/](?:json|xml|yaml)$/;

/**
 * What the body of an answer is kept in: one whose type is not that of a text and names no character set is a file, unless it
 * is a format in `named`. Without a type it is text.
 */
export function keepFile(headers: HttpAnswer['headers'], named: ReadonlySet<FormatName>): Spool | undefined {
  const written = single(headers['content-type']);
  if (written === undefined || /;\s*charset\s*=/i.test(written)) return undefined;
  const [type] = mediaType(written);
  if (!type.includes('/') || textual.test(type)) return undefined;
  const format = formatOf(type);
  return format !== undefined && (isTextFormat(format) || named.has(format)) ? undefined : new Spool();
}

/** The file that an answer is; undefined when it is not a file, or is empty. */
export async function fileOf(
  { headers, kept, passing }: HttpAnswer,
  owner: ContentOwner | undefined,
): Promise<Content | undefined> {
  const held = passing ?? kept;
  if (held === undefined || kept?.size === 0) return undefined;
  owner?.own(held);
  const filename = filenameOf(single(headers['content-disposition']) ?? '');
  const [type] = mediaType(single(headers['content-type']) ?? '');
  const label = { filename, contentType: type };
  return held instanceof Spool ? held.content(0, label) : held.content(label);
}

/** The name that a header gives to a file (RFC 6266), without any path; empty when it gives none. */
function filenameOf(disposition: string): string {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const name = decoded(extended) ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? '';
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).slice(0, 255);
}

function decoded(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a body by its own Content-Type; what cannot be read, or is of no format in `named`, is text. Null when empty.
 * Rejects with `connector_failed` when it decodes to more than an answer may.
 */
export async function readAnswer(
  { body, headers }: HttpAnswer,
  named: ReadonlySet<FormatName>,
  codecs: Codecs,
): Promise<unknown> {
  if (body.length === 0) return null;
  const [type, charset] = mediaType(single(headers['content-type']) ?? '');
  const format = formatOf(type);
  if (format === undefined || !named.has(format)) return textOf(body, charset);
  const codec = codecs.get(format);
  try {
    return await decodeBody(codec instanceof Promise ? await codec : codec, body, { charset, budget: answerBudget });
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code === 'body_undecodable' && isTextFormat(format)) return textOf(body, charset);
    throw new HttpFailure('connector_failed', `the answer cannot be used: ${message}`, true, {
      cause: error,
      retriable: code === 'overloaded',
    });
  }
}

/**
 * The answer as rows (docs/specification/http-client.md#answers): an object is one, an array many, anything else
 * `{data: value}`.
 */
export function asRows(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? item : { data: item }));
  return [isRecord(value) ? value : { data: value }];
}

/** The answer of a call: a list of one is that one, a scalar `{data: value}`. */
export function asCallValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : value;
  return isRecord(value) ? value : { data: value };
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function textOf(body: Buffer, charset = 'utf-8'): string {
  return new TextDecoder(charset).decode(body);
}
