import { Content } from '../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import type { Answered, Drop, Outcome } from '../../foundation/contracts/outcome.ts';
import type { BinaryAnswer } from '../../foundation/contracts/source.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Codec, EncodingStyle } from '../../platform/formats/registry.ts';
import { sendContent } from '../../platform/http/content/send-content.ts';
import { dropAnswer } from '../../platform/http/drop-answer.ts';
import { contentDisposition, headerPairs } from '../../platform/http/response-headers.ts';
import { asVersion, tagOf, tagOfPieces } from './versions.ts';

/** How the answers of one flow are written. */
export interface AnswerForm {
  readonly codec: Codec;
  readonly contentType: string;
  readonly style: EncodingStyle;
  readonly binary: BinaryAnswer | undefined;
  /** Whether answers to reads have an `ETag`, by which callers may ask for them if they have another version. */
  readonly tagged: boolean;
}

/**
 * Sends the outcome of a flow. Throws or rejects with a Failure, before anything is sent, when it cannot be sent. A large value is
 * written with turns for other work: a promise says that its answer has begun.
 */
export function answer(exchange: HttpExchange, outcome: Outcome, form: AnswerForm): void | Promise<void> {
  if (outcome.kind === 'drop') return answerDrop(exchange, outcome);
  return answerReply(exchange, outcome, form);
}

function answerReply(exchange: HttpExchange, reply: Answered, form: AnswerForm): void | Promise<void> {
  const { binary } = form;
  const { value, status = 200 } = reply;
  if (status < 200) throw new Failure('internal', `the status ${status} cannot end an exchange`);
  const headers = reply.headers === undefined ? undefined : headerPairs(reply.headers);
  if (value === null || value === undefined || status === 204 || status === 304)
    exchange.send(status, undefined, '', headers);
  else if (binary !== undefined && isBinary(value))
    answerBinary(exchange, value, { ...binary, tagged: isTagged(exchange, status, form) }, status, headers);
  else return answerValue(exchange, value, form, { type: typeOf(reply, form), status, headers: withoutType(headers) });
}

/** Whether the answer is a version of something that its caller may have. */
function isTagged({ request: { method } }: HttpExchange, status: number, { tagged }: AnswerForm): boolean {
  return tagged && status === 200 && (method === 'GET' || method === 'HEAD');
}

interface Head {
  readonly type: string;
  readonly status: number;
  readonly headers: readonly string[] | undefined;
}

function answerValue(
  exchange: HttpExchange,
  value: unknown,
  form: AnswerForm,
  { type, status, headers }: Head,
): void | Promise<void> {
  const { codec, style } = form;
  const pieces = codec.pieces?.(value, style);
  const tagged = isTagged(exchange, status, form);
  if (pieces === undefined) {
    const body = codec.encode(value, style);
    const own = tagged ? asVersion(exchange, () => tagOf(body), headers) : headers;
    if (!tagged || own !== undefined) exchange.send(status, type, body, own);
    return;
  }
  if (!tagged) return begun(pieces).then((body) => exchange.stream(status, type, { pieces: body }, headers));
  // It is written twice, so that nothing of it is kept: the tag goes out before its first byte.
  return tagOfPieces(pieces).then((tag) => {
    const own = asVersion(exchange, () => tag, headers);
    const again = own && codec.pieces?.(value, style);
    if (again !== undefined) exchange.stream(status, type, { pieces: again }, own);
  });
}

/** The pieces, once the first of them is there, or has failed. */
async function begun(pieces: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | undefined = await iterator.next();
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        const next = first === undefined ? iterator.next() : Promise.resolve(first);
        first = undefined;
        return next;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

function answerDrop(exchange: HttpExchange, drop: Drop): void {
  const answered = dropAnswer(drop);
  if (answered instanceof Failure) exchange.refuse(answered);
  else exchange.send(200, 'application/json; charset=utf-8', JSON.stringify(answered));
}

interface Binary {
  readonly _binary: string | Uint8Array | Content;
  readonly _content_type?: unknown;
  readonly _filename?: unknown;
}

export function isBinary(value: unknown): value is Binary {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '_binary')) return false;
  const { _binary: content } = value as { _binary: unknown };
  return typeof content === 'string' || content instanceof Uint8Array || content instanceof Content;
}

/** Headers that keep bytes from acting as a page of the service: they are saved, or shown without scripts and origin. */
const untrusted = { 'content-disposition': 'attachment', 'content-security-policy': 'sandbox' };

/**
 * Raw bytes, given as such, in base64 or as a file. Their type may come from a caller, who may have chosen that of a page;
 * so may that of a file, which is what its sender or its name says.
 */
function answerBinary(
  exchange: HttpExchange,
  value: Binary,
  { type: decidedBy, tagged }: BinaryAnswer & { readonly tagged: boolean },
  status: number,
  headers: readonly string[] = [],
): void {
  const { _binary: content, _content_type: written, _filename: called } = value;
  const file = content instanceof Content ? content : undefined;
  const configured = typeof written === 'string' && written !== '' ? written : undefined;
  const type = configured ?? (file?.content_type || undefined);
  const contentType = type === undefined ? 'application/octet-stream' : withCharset(type);
  headerPairs({ 'content-type': contentType });
  const isTrusted = decidedBy === 'configuration' && (configured !== undefined || type === undefined);
  const own: Record<string, string> = isTrusted ? {} : { ...untrusted };
  const filename = typeof called === 'string' ? called : isTrusted ? undefined : file?.filename || undefined;
  if (filename !== undefined)
    own['content-disposition'] = contentDisposition(isTrusted ? 'inline' : 'attachment', filename);
  const all = [...Object.entries(own).flat(), ...without(['content-type', ...Object.keys(own)], headers)];
  const bytes = typeof content === 'string' ? Buffer.from(content, 'base64') : content;
  if (bytes instanceof Content) return sendContent(exchange, bytes.bytes, { status, contentType, headers: all });
  const versioned = tagged ? asVersion(exchange, () => tagOf(bytes), all) : all;
  if (versioned !== undefined) exchange.send(status, contentType, bytes, versioned);
}

function typeOf({ headers }: Answered, { contentType }: AnswerForm): string {
  if (headers === undefined) return contentType;
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'content-type');
  return name === undefined ? contentType : withCharset(headers[name] as string);
}

/** The Content-Type is sent with the body; here it would be a second one. */
function withoutType<T extends readonly string[] | undefined>(headers: T): T | string[] {
  return headers === undefined ? headers : without(['content-type'], headers);
}

function without(names: readonly string[], headers: readonly string[]): string[] {
  return headers.filter((_, index) => !names.includes((headers[index - (index % 2)] as string).toLowerCase()));
}

function withCharset(contentType: string): string {
  const isText = /^(text\/|application\/(.*\+)?(json|xml|javascript)\b)/i.test(contentType);
  return isText && !/;\s*charset=/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType;
}
