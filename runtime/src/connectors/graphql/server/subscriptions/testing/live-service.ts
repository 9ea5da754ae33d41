import { createClient, type Client as EventClient } from 'graphql-sse';
import { type Client, type ClientOptions, createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { until } from '../../../../../../../test/support/until.ts';
import { startText, type TextService } from '../../../../../service/running/testing/text-service.ts';

/** The connector of most tests: more words, blocks and flows can be added. */
export interface LiveOptions {
  readonly connector?: string;
  readonly root?: string;
  /** CEL of `to.filter`. */
  readonly filter?: string;
  /** Fields of the type `Order`. */
  readonly type?: string;
}

/** A service whose mutation `publish(order)` publishes the order to `Subscription.changed`, as its type `Order`. */
export function liveText({ connector = '', root = '', filter, type = '' }: LiveOptions = {}): string {
  return `
service {
  admin_port = 0
}
connector "api" {
  type = "graphql"
  host = "127.0.0.1"
  port = env("PORT")
  ${connector}
}
type "Order" {
  id     = "number"
  tenant = string({ required = false })
  text   = string({ required = false })
  ${type}
}
flow "hello" {
  from {
    connector = connector.api
    operation = "Query.hello"
  }
  returns = "String"
  response {
    hello = "'hello ' + auth.user_id"
  }
}
flow "publish" {
  from {
    connector = connector.api
    operation = "Mutation.publish"
  }
  returns = "JSON"
  to {
    connector = connector.api
    operation = "Subscription.changed"
    ${filter === undefined ? '' : `filter = ${JSON.stringify(filter)}`}
  }
}
flow "changed" {
  from {
    connector = connector.api
    operation = "Subscription.changed"
  }
  returns = "Order"
}
${root}`;
}

/** A message of the protocol. */
export type Frame = Readonly<Record<string, unknown>> & { readonly type?: string };

/** A client that writes what it wants, and what came to it. */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  closed: string | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data)) as Frame));
    socket.on('close', (code, reason) => (this.closed = `${code} ${reason}`));
    socket.on('error', () => undefined);
  }

  send(...messages: readonly (string | object)[]): void {
    for (const each of messages) this.socket.send(typeof each === 'string' ? each : JSON.stringify(each));
  }

  /** Frames of one type, in order. */
  of(type: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  async init(payload?: object): Promise<this> {
    this.send({ type: 'connection_init', payload });
    await until(() => this.of('connection_ack').length > 0 || this.closed);
    return this;
  }

  /** Subscribes, and waits until that is done: a query behind it has been answered. */
  async subscribe(id: string, query = 'subscription { changed { id } }', variables?: object): Promise<void> {
    this.send(
      { type: 'subscribe', id, payload: { query, variables } },
      { type: 'subscribe', id: `${id} done`, payload: { query: '{ hello }' } },
    );
    await until(() => this.frames.some((frame) => frame['id'] === `${id} done` && frame.type === 'complete'));
  }
}

/** A running service with clients of its subscriptions. */
export class LiveService implements AsyncDisposable {
  readonly running: TextService;
  readonly #sockets: WebSocket[] = [];
  readonly #clients: Pick<Client, 'dispose'>[] = [];

  constructor(running: TextService) {
    this.running = running;
  }

  static async start(options: LiveOptions | string = {}): Promise<LiveService> {
    return new LiveService(await startText(typeof options === 'string' ? options : liveText(options)));
  }

  /** Resolves when the client is connected; rejects with the status of a refusal. */
  async connect(
    { path = '/subscriptions', protocol = 'graphql-transport-ws' } = {},
    options: object = {},
  ): Promise<RawClient> {
    const socket = new WebSocket(
      `${this.running.address.replace('http', 'ws')}${path}`,
      protocol === '' ? [] : protocol,
      options,
    );
    this.#sockets.push(socket);
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
      socket.once('error', reject);
    });
    return client;
  }

  /** The client of graphql-ws. */
  client(options: Partial<ClientOptions> = {}): Client {
    const url = `${this.running.address.replace('http', 'ws')}/subscriptions`;
    const client = createSocketClient({ url, webSocketImpl: WebSocket, retryAttempts: 0, ...options });
    this.#clients.push(client);
    return client;
  }

  /** The client of graphql-sse. */
  events(headers: Record<string, string> = {}): EventClient {
    const client = createClient({ url: `${this.running.address}/graphql`, headers, retryAttempts: 0 });
    this.#clients.push(client);
    return client;
  }

  async query(query: string, variables?: object, headers: Record<string, string> = {}): Promise<unknown> {
    const answer = await fetch(`${this.running.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return answer.json();
  }

  async publish(order: object, headers: Record<string, string> = {}): Promise<void> {
    const answer = await this.query('mutation ($input: JSON) { publish(input: $input) }', { input: order }, headers);
    if (JSON.stringify(answer) !== '{"data":{"publish":{"published":true}}}') throw new Error(JSON.stringify(answer));
  }

  /** The value of a metric of the service. */
  metric(line: string): number {
    const text = this.running.service.metrics.text();
    const found = text.split('\n').find((each) => each.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1) ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) void client.dispose();
    for (const socket of this.#sockets) socket.terminate();
    await this.running.stop();
  }
}
