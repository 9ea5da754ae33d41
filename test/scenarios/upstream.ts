import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as another service received it. */
export interface Received {
  readonly method: string;
  /** With the query, as sent. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What another service answers: a status and a JSON body, or whatever it does with the response itself. */
export type Reaction =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** Another service on a port of its own, which answers as a test says and remembers what it was asked, health aside. */
export interface Upstream extends AsyncDisposable {
  readonly address: string;
  readonly received: Received[];
  /** What it answers from now on. */
  react: (request: Received) => Reaction;
  close(): Promise<void>;
}

export async function startUpstream(react: Upstream['react'] = () => ({ body: {} })): Promise<Upstream> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { method = '', url = '', headers } = request;
    // That is how health asks.
    if (method === 'HEAD') return response.end();
    const one = { method, url, headers, body };
    received.push(one);
    const reaction = upstream.react(one);
    if (typeof reaction === 'function') return reaction(response);
    response.writeHead(reaction.status ?? 200, { 'content-type': 'application/json', ...reaction.headers });
    response.end(reaction.body === undefined ? '' : JSON.stringify(reaction.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const upstream: Upstream = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    react,
    close,
    [Symbol.asyncDispose]: close,
  };
  return upstream;
}
