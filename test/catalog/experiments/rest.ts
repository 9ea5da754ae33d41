import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import { type Running, serves } from './running.ts';

/** A flow that answers at once, one that takes longer, and one that takes what is sent to it. */
const flows = `flow "quick" {
  from {
    connector = "api"
    operation = "GET /quick"
  }
  response {
    a = "1"
  }
}
flow "slow" {
  from {
    connector = "api"
    operation = "GET /slow"
  }
  coordinate {
    timeout    = "400ms"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    a = "1"
  }
}
flow "take" {
  from {
    connector = "api"
    operation = "POST /take"
  }
  response {
    a = "1"
  }
}
flow "keep" {
  from {
    connector = "api"
    operation = "POST /keep"
    format    = "binary"
  }
  response {
    a = "1"
  }
}
`;
const server = (lines: string, values: Experiment['values'], look: (service: Running) => Promise<unknown>) =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "rest"\n port = 0\n host = "127.0.0.1"\n ${lines}\n}\n${flows}`,
    values,
    look,
  );

const request = (line: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers, ...(body === '' ? [] : [`Content-Length: ${body.length}`])].join('\r\n')}\r\n\r\n${body}`;

/** The status lines that come back for what is sent over a connection of its own. */
async function statuses(port: number, sent: string): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(sent);
  const answer = await text(socket).catch(() => '');
  return answer.match(/HTTP\/1\.1 \d+/g) ?? [];
}

const closing = 'Connection: close';
const last = request('GET /quick', [closing]);
/** The headers of an answer that limits and access add, sorted; those of the moment aside. */
const headersOf = async (port: number, line: string, headers: readonly string[]) => {
  const socket = connect(port, '127.0.0.1');
  socket.write(request(line, [...headers, closing]));
  const [head = ''] = (await text(socket)).split('\r\n\r\n');
  return head.split('\r\n').filter((one) => !/^(date|x-request-id|etag|content-length)/i.test(one));
};
const origin = 'Origin: https://a.example';
const preflight = ({ api }: Running) =>
  headersOf(api, 'OPTIONS /quick', [
    origin,
    'Access-Control-Request-Method: GET',
    'Access-Control-Request-Headers: x-a',
  ]);
const posted =
  (path: string) =>
  async ({ api }: Running) =>
    statuses(api, request(`POST ${path}`, ['Content-Type: application/json', closing], `{"n":"${'x'.repeat(100)}"}`));

/** Attributes of a REST server of which a test shows one value. */
export const restServer: Shown = {
  format: server('format = §', ['"json"', '"xml"'], ({ api }) => headersOf(api, 'GET /quick', [])),
  timeout: server('timeout = §', ['"100ms"', '"10s"'], ({ api }) => statuses(api, request('GET /slow', [closing]))),
  max_connections: server('max_connections = §', ['1', '2'], async ({ api }) => {
    const first = connect(api, '127.0.0.1');
    first.write(request('GET /quick'));
    await once(first, 'data');
    const others = await statuses(api, last);
    first.destroy();
    return others;
  }),
  max_in_flight: server('max_in_flight = §', ['1', '2'], async ({ api }) =>
    (await Promise.all(['/slow', '/slow'].map((path) => statuses(api, request(`GET ${path}`, [closing])))))
      .flat()
      .sort(),
  ),
  max_body: server('max_body = §', ['50', '500'], posted('/take')),
  max_upload: server('max_upload = §', ['50', '500'], posted('/keep')),
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
  'auth.realm': server('auth {\n type = "basic"\n users = { a = "b" }\n realm = §\n }', ['"one"', '"two"'], ({ api }) =>
    headersOf(api, 'GET /quick', []),
  ),
};
