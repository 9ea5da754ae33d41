import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import type { Running } from './running.ts';

/** A service with lines in the block of its server, and what is seen of it with each value. */
export type ShowServer = (
  lines: string,
  values: Experiment['values'],
  look: (service: Running) => Promise<unknown>,
) => Experiment;

/** How a server is asked for what is answered at once, for what takes longer, and with a body of about a hundred bytes. */
export interface ServerRequests {
  readonly path: string;
  readonly quick: (headers: readonly string[]) => string;
  readonly slow: (headers: readonly string[]) => string;
  readonly body: (headers: readonly string[]) => string;
}

/** A request as it is sent. */
export const request = (line: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers, ...(body === '' ? [] : [`Content-Length: ${body.length}`])].join('\r\n')}\r\n\r\n${body}`;

/** The status lines that come back for what is sent over a connection of its own. */
export async function statuses(port: number, sent: string): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(sent);
  const answer = await text(socket).catch(() => '');
  return answer.match(/HTTP\/1\.1 \d+/g) ?? [];
}

export const closing = 'Connection: close';

/** The headers of an answer that limits and access add; those of the moment aside. */
export async function headersOf(port: number, sent: string): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  const [head = ''] = (await text(socket)).split('\r\n\r\n');
  return head.split('\r\n').filter((one) => !/^(date|x-request-id|etag|content-length)/i.test(one));
}

const preflightHeaders = [
  'Origin: https://a.example',
  'Access-Control-Request-Method: GET',
  'Access-Control-Request-Headers: x-a',
  closing,
];

/** What every server of requests over HTTP says in its block. */
export function httpServerAttributes(server: ShowServer, { path, quick, slow, body }: ServerRequests): Shown {
  const preflight = ({ api }: Running) => headersOf(api, request(`OPTIONS ${path}`, preflightHeaders));
  return {
    timeout: server('timeout = §', ['"100ms"', '"10s"'], ({ api }) => statuses(api, slow([closing]))),
    max_connections: server('max_connections = §', ['1', '2'], async ({ api }) => {
      const first = connect(api, '127.0.0.1');
      first.write(quick([]));
      await once(first, 'data');
      const others = await statuses(api, quick([closing]));
      first.destroy();
      return others;
    }),
    max_in_flight: server('max_in_flight = §', ['1', '2'], async ({ api }) =>
      (await Promise.all([slow([closing]), slow([closing])].map((sent) => statuses(api, sent)))).flat().sort(),
    ),
    max_body: server('max_body = §', ['50', '500'], ({ api }) => statuses(api, body([closing]))),
    'cors.origins': server('cors {\n origins = §\n }', ['["https://a.example"]', '["https://b.example"]'], preflight),
    'cors.methods': server(
      'cors {\n origins = ["https://a.example"]\n methods = §\n }',
      ['["GET"]', '["GET", "POST"]'],
      preflight,
    ),
    'cors.headers': server(
      'cors {\n origins = ["https://a.example"]\n headers = §\n }',
      ['["X-A"]', '["X-B"]'],
      preflight,
    ),
    'cors.allow_credentials': server(
      'cors {\n origins = ["https://a.example"]\n allow_credentials = §\n }',
      ['true', 'false'],
      preflight,
    ),
    'auth.realm': server(
      'auth {\n type = "basic"\n users = { a = "b" }\n realm = §\n }',
      ['"one"', '"two"'],
      ({ api }) => headersOf(api, quick([closing])),
    ),
  };
}
