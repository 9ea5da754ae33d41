import { Failure } from '../../errors/failure.ts';
import type { Drop, Outcome, Reply } from '../../flow/outcome.ts';
import type { Codec, EncodingStyle } from '../../formats/registry.ts';
import type { Exchange } from '../../http/exchange.ts';
import { contentDisposition, headerPairs } from '../../http/response-headers.ts';

/** Sends what a flow came to. Throws a Failure, before anything is sent, when it cannot be sent. */
export function answer(exchange: Exchange, outcome: Outcome, codec: Codec, style: EncodingStyle): void {
  if (outcome.kind === 'drop') answerDrop(exchange, outcome);
  else answerReply(exchange, outcome, codec, style);
}

function answerReply(exchange: Exchange, reply: Reply, codec: Codec, style: EncodingStyle): void {
  const { value, status = 200 } = reply;
  if (status < 200) throw new Failure('internal', `the status ${status} cannot end an exchange`);
  const headers = reply.headers === undefined ? undefined : headerPairs(reply.headers);
  if (value === null || value === undefined || status === 204 || status === 304)
    exchange.send(status, undefined, '', headers);
  else if (isBinary(value)) answerBinary(exchange, value, status, headers);
  else exchange.send(status, typeOf(reply, codec), codec.encode(value, style), withoutType(headers));
}

function answerDrop(exchange: Exchange, drop: Drop): void {
  const answered = dropAnswer(drop);
  if (answered instanceof Failure) exchange.refuse(answered);
  else exchange.send(200, 'application/json; charset=utf-8', JSON.stringify(answered));
}

/** What the caller of a request that a gate turned away is told (decisions 10). */
export function dropAnswer({ reason, expression }: Drop): Failure | { readonly status: 'dropped'; reason: string } {
  return reason === 'accept' && readsAuth(expression)
    ? new Failure('permission_denied', 'the request was not accepted')
    : { status: 'dropped', reason };
}

/** Whether an expression names the variable `auth`, outside texts and not as a field of something else. */
function readsAuth(expression: string): boolean {
  const code = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return /(?<![\w.])auth\b/.test(code);
}

interface Binary {
  readonly _binary: string | Uint8Array;
  readonly _content_type?: unknown;
  readonly _filename?: unknown;
}

function isBinary(value: unknown): value is Binary {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '_binary')) return false;
  const { _binary: content } = value as { _binary: unknown };
  return typeof content === 'string' || content instanceof Uint8Array;
}

/** Raw bytes, given as such or in base64 (supplement 3.10). */
function answerBinary(exchange: Exchange, value: Binary, status: number, headers: readonly string[] = []): void {
  const { _binary: content, _content_type: type, _filename: filename } = value;
  const bytes = typeof content === 'string' ? Buffer.from(content, 'base64') : content;
  const own = typeof filename === 'string' ? ['content-disposition', contentDisposition(filename)] : [];
  const contentType = typeof type === 'string' && type !== '' ? withCharset(type) : 'application/octet-stream';
  headerPairs({ 'content-type': contentType });
  exchange.send(status, contentType, bytes, [...own, ...withoutType(headers)]);
}

function typeOf({ headers }: Reply, codec: Codec): string {
  if (headers === undefined) return codec.contentType;
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'content-type');
  return name === undefined ? codec.contentType : withCharset(headers[name] as string);
}

/** The Content-Type is sent with the body; here it would be a second one. */
function withoutType<T extends readonly string[] | undefined>(headers: T): T | string[] {
  if (headers === undefined) return headers;
  return headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== 'content-type');
}

function withCharset(contentType: string): string {
  const isText = /^(text\/|application\/(.*\+)?(json|xml|javascript)\b)/i.test(contentType);
  return isText && !/;\s*charset=/i.test(contentType) ? `${contentType}; charset=utf-8` : contentType;
}
