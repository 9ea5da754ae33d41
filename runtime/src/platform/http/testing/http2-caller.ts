import {
  type ClientHttp2Session,
  type ClientSessionOptions,
  connect,
  type OutgoingHttpHeaders,
  type Settings,
} from 'node:http2';

/** An answer of HTTP/2. */
export interface Http2Answer {
  readonly status: number | undefined;
  /** Without the date. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The code that its stream was ended with. */
  readonly code: number;
}

/** A connection to `url`, by prior knowledge, which ends with its scope. */
export function openHttp2(
  url: string,
  settings: Settings = {},
  options: ClientSessionOptions = {},
): ClientHttp2Session & AsyncDisposable {
  const session = connect(url, { ...options, settings });
  session.on('error', () => undefined);
  return Object.assign(session, { [Symbol.asyncDispose]: async () => session.destroy() });
}

/** Asks for one thing and takes all of the answer. */
export function askHttp2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Uint8Array,
): Promise<Http2Answer> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let text = '';
    let given: Record<string, unknown> = {};
    stream.on('response', (received) => {
      given = Object.fromEntries(Object.entries(received));
    });
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      const { ':status': status, date: _, ...rest } = given as { ':status'?: number; date?: string };
      resolve({ status, headers: rest, text, code: stream.rstCode ?? 0 });
    });
    if (body !== undefined) stream.end(body);
  });
}
