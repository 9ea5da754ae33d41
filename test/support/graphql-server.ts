import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, GraphQLError } from 'graphql';
import { createHandler } from 'graphql-http';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

/** A request as it reached the server. */
export interface SeenRequest {
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const schema = buildSchema(`
  type Order { id: ID!, total: Float, note: String }
  type Query {
    version: String
    echo(text: String): String
    order(id: ID!): Order
    orders(most: Int): [Order]
    stuck: String
    fails(code: String): String
    half: Half
  }
  type Half { good: String, bad: String }
  type Mutation { add(total: Float!): Order, fails: String }
  type Event { text: String, bad: String }
  type Subscription { event: Event, tick: Int }
`);

/** A server of the reference implementation: GraphQL over HTTP at `/graphql`, and `graphql-transport-ws` at `/subscriptions`. */
export class GraphqlServer {
  readonly seen: SeenRequest[] = [];
  /** What the connections of subscriptions have said: headers of the upgrade, and the first message. */
  readonly greetings: { readonly headers: IncomingMessage['headers']; readonly params: unknown }[] = [];
  /** Subscriptions that are active, by field. */
  readonly active: string[] = [];
  /** Answers a request in place of the schema when it gives true. */
  intercept: (request: SeenRequest, response: ServerResponse) => boolean = () => false;
  /** Refuses connections of subscriptions. */
  refuses = false;
  /** Pending calls of `stuck`. */
  readonly held = new Set<ServerResponse>();
  isReleased = false;
  readonly #listeners = new Map<string, Set<(value: unknown) => void>>();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #http = createServer((request, response) => void this.#handle(request, response));

  static async start(): Promise<GraphqlServer> {
    const server = new GraphqlServer();
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    useServer(
      {
        schema,
        roots: { subscription: { event: () => this.#events('event'), tick: () => this.#events('tick') } },
        onConnect: ({ connectionParams, extra }) => {
          this.greetings.push({ headers: extra.request.headers, params: connectionParams });
          return !this.refuses;
        },
      },
      this.#sockets,
    );
    this.#http.on('upgrade', (request, socket, head) => {
      if (new URL(request.url ?? '', 'http://here').pathname !== '/subscriptions') return socket.destroy();
      this.#sockets.handleUpgrade(request, socket, head, (made) => this.#sockets.emit('connection', made, request));
    });
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/graphql`;
  }

  /** Sends a value to every subscription of a field. */
  publish(field: 'event' | 'tick', value: unknown): void {
    for (const listener of this.#listeners.get(field) ?? []) listener(value);
  }

  /** Ends every connection of subscriptions. */
  cut(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const seen = { headers: request.headers, url: request.url ?? '', body: text === '' ? {} : JSON.parse(text) };
    this.seen.push(seen);
    if (this.intercept(seen, response)) return;
    if (String(seen.body['query']).includes('stuck') && !this.isReleased) {
      this.held.add(response);
      response.once('close', () => this.held.delete(response));
      return;
    }
    const handle = createHandler({ schema, rootValue: this.#roots() });
    const { method = 'GET', url = '/', headers } = request;
    const [body, { status, headers: sent = {} }] = await handle({
      method,
      url,
      headers: headers as Record<string, string>,
      body: seen.body,
      raw: request,
      context: undefined,
    });
    response.writeHead(status, sent as Record<string, string>).end(body);
  }

  /** Answers the calls that are held. */
  release(): void {
    this.isReleased = true;
    for (const response of this.held)
      response.setHeader('content-type', 'application/json').end('{"data":{"stuck":null}}');
  }

  #roots() {
    const order = (id: unknown) => ({ id, total: 9.5, note: null });
    return {
      version: '7',
      echo: ({ text }: { readonly text?: string }) => text ?? null,
      order: ({ id }: { readonly id: string }) => (id === 'none' ? null : order(id)),
      orders: ({ most = 2 }: { readonly most?: number }) => Array.from({ length: most }, (_, at) => order(at)),
      stuck: null,
      fails: ({ code }: { readonly code?: string }) => {
        throw new GraphQLError('it failed', code === undefined ? {} : { extensions: { code } });
      },
      half: {
        good: 'here',
        bad: () => {
          throw new GraphQLError('this half failed');
        },
      },
      add: ({ total }: { readonly total: number }) => ({ id: 'new', total }),
    };
  }

  /** Not a generator: one that waits could not be ended. */
  #events(field: string): AsyncIterableIterator<Record<string, unknown>> {
    const waiting: unknown[] = [];
    let isOver = false;
    let wake: (() => void) | undefined;
    const listener = (value: unknown) => {
      waiting.push(value);
      wake?.();
    };
    const listeners = this.#listeners.get(field) ?? new Set();
    this.#listeners.set(field, listeners);
    listeners.add(listener);
    this.active.push(field);
    const end = () => {
      if (!isOver) this.active.splice(this.active.indexOf(field), 1);
      isOver = true;
      listeners.delete(listener);
      wake?.();
      return { value: undefined, done: true } as const;
    };
    const next = async (): Promise<IteratorResult<Record<string, unknown>>> => {
      while (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      const value = waiting.shift();
      return isOver || value === 'end' ? end() : { value: { [field]: value }, done: false };
    };
    const events: AsyncIterableIterator<Record<string, unknown>> = {
      next,
      return: async () => end(),
      [Symbol.asyncIterator]: () => events,
    };
    return events;
  }
}
