import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { problemBody, problemType } from '../problem.ts';
import { endWith } from './linger.ts';

/**
 * Headers of which a request has one at most, by the length of their names, since every request is looked at: of two, this
 * server and the one in front of it could use different ones.
 */
const single: (string | undefined)[] = [];
for (const name of ['host', 'content-type', 'authorization']) single[name.length] = name;

const hostBit = 1 << 'host'.length;

/** Why a request could be read in two ways, undefined when it cannot (RFC 9112, 3.2; RFC 9110, 5.3). */
export function ambiguity({ rawHeaders, httpVersionMinor }: IncomingMessage): string | undefined {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const word = single[name.length];
    if (word === undefined || name.toLowerCase() !== word) continue;
    const bit = 1 << name.length;
    if ((seen & bit) !== 0) return `a request has one ${name} header at most`;
    seen |= bit;
  }
  return (seen & hostBit) === 0 && httpVersionMinor !== 0 ? 'a request names exactly one host' : undefined;
}

/** An answer to what could not be read as a request. */
export interface MalformedAnswer {
  readonly status: string;
  readonly code: string;
  readonly text: string;
}

export const malformed: MalformedAnswer = {
  status: '400 Bad Request',
  code: 'malformed',
  text: 'the request is not valid HTTP',
};

/** The answer to a request that does not come in time. */
export const late: MalformedAnswer = {
  status: '408 Request Timeout',
  code: 'read_timeout',
  text: 'the request was not received in time',
};

export const headersTooLarge: MalformedAnswer = {
  status: '431 Request Header Fields Too Large',
  code: 'headers_too_large',
  text: 'the headers are too large',
};

/** The answer to a request that expects what no server here does (RFC 9110, 10.1.1). */
export const unmetExpectation: MalformedAnswer = {
  status: '417 Expectation Failed',
  code: 'malformed',
  text: 'a request may expect 100-continue and nothing else',
};

const answers: Readonly<Record<string, MalformedAnswer>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    code: 'body_too_large',
    text: 'the chunk extensions are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: late,
};

/** The answer to an error of the parser. */
export function answerTo({ code = '' }: NodeJS.ErrnoException): MalformedAnswer {
  return answers[code] ?? malformed;
}

/** Instead of `answer` when the caller has sent too many: the refusal of the rate limit. */
export function limited({ allowed, retryAfter }: TokenAnswer, answer: MalformedAnswer) {
  if (allowed) return { answer, retryAfter: undefined };
  const refused = { status: '429 Too Many Requests', code: 'rate_limited', text: 'rate limit exceeded' };
  return { answer: refused, retryAfter: Math.max(1, Math.ceil(retryAfter / 1000)) };
}

/** The answer that Node is sending on a connection, by the name that its own default handler reads it by. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers and ends the connection: what follows on it cannot be trusted. A caller that does not take the answer,
 * or does not close its side, loses the connection after a moment. Where an earlier request is still being answered, that
 * answer is the last one; `own` is the answer of the refused request itself, where it has one. `isProblem`: it is written as
 * problem details.
 */
export function refuseAndClose(
  socket: Socket,
  { status, text, code }: MalformedAnswer,
  retryAfter: number | undefined,
  own: ServerResponse | undefined,
  isProblem: boolean,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const current = (socket as Answering)._httpMessage;
  const answering = current === own ? undefined : current;
  if (answering?.req.complete === true && !answering.writableFinished) {
    answering.shouldKeepAlive = false;
    answering.once('finish', () => socket.destroySoon());
    return;
  }
  if (answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const body = isProblem
    ? problemBody(Number.parseInt(status, 10), text, { code })
    : JSON.stringify({ error: text, code, retry_after: retryAfter });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    `Content-Type: ${isProblem ? problemType : 'application/json; charset=utf-8'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
  ];
  endWith(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}
