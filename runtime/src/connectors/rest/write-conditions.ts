import { Content } from '../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { preconditionOf } from '../../platform/http/content/preconditions.ts';
import { anotherVersion, headerOf, validatorsOf } from '../../platform/http/content/send-content.ts';
import { headerPairs } from '../../platform/http/response-headers.ts';
import { type AnswerForm, isBinary } from './answer.ts';
import type { RestBinding } from './binding.ts';
import { noBody } from './request-body.ts';
import { RequestMessage } from './request-message.ts';
import { tagOf, tagOfPieces } from './versions.ts';

/** Methods that replace or end what a read of the same path answers. */
export const replacing: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Whether a request is to be carried out for one version only. */
export function isConditional({ request: { headers } }: HttpExchange): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/**
 * Rejects with `precondition_failed` unless what the flow that reads the path answers to this caller now is what the
 * request asks for (RFC 9110, 13.1). What changes between this read and the write is not noticed: a lock, or a version
 * that the write compares, notices it. A read that fails otherwise fails the request.
 */
export async function checkVersion(
  exchange: HttpExchange,
  { deliver }: RestBinding,
  addressed: readonly string[],
  forms: readonly AnswerForm[],
): Promise<void> {
  const message = new RequestMessage(exchange, noBody, addressed);
  let tags: readonly string[] | undefined;
  try {
    tags = await tagsOf(await deliver(message), forms);
  } catch (error) {
    const { status } = asFailure(error).kind;
    if (status !== 404 && status !== 410) throw error;
  } finally {
    message.end();
  }
  if (!isMet(exchange, tags)) throw anotherVersion();
}

function isMet({ request: { headers } }: HttpExchange, tags: readonly string[] | undefined): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (tags === undefined) return match === undefined;
  const known = tags.length === 0 ? [undefined] : tags;
  const judge = (asked: typeof headers) => known.map((etag) => preconditionOf(asked, { etag, modified: undefined }));
  if (match !== undefined && !judge({ 'if-match': match }).includes('met')) return false;
  return noneMatch === undefined || !judge({ 'if-none-match': noneMatch }).includes('not_modified');
}

/** Tags of what was answered, in each form that it can have; undefined: nothing is there. */
async function tagsOf(outcome: Outcome, forms: readonly AnswerForm[]): Promise<readonly string[] | undefined> {
  if (outcome.kind === 'drop') return undefined;
  const { value, status = 200, headers = {} } = outcome;
  if (status < 200 || status > 299) return undefined;
  const pairs = headerPairs(headers);
  const written = headerOf('etag', pairs);
  if (written !== undefined) return [written];
  if (value === null || value === undefined) return [];
  const [{ binary } = {}] = forms;
  if (binary !== undefined && isBinary(value)) {
    const { _binary: content } = value;
    if (content instanceof Content) return [validatorsOf(content.bytes, pairs)?.etag ?? []].flat();
    return [tagOf(typeof content === 'string' ? Buffer.from(content, 'base64') : content)];
  }
  const tags = new Set<string>();
  // Media types of one format have the same bytes.
  for (const { codec, style } of new Map(forms.map((form) => [form.codec, form])).values()) {
    const pieces = codec.pieces?.(value, style);
    tags.add(pieces === undefined ? tagOf(codec.encode(value, style)) : await tagOfPieces(pieces));
  }
  return [...tags];
}
