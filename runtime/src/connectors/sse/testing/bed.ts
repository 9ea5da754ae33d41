import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { configured } from '../../../../../test/support/configured.ts';
import {
  connectorServices,
  httpServices,
  type LogLine,
  recordingLog,
} from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpMount } from '../../../foundation/contracts/http.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { BoundFlows } from '../../../foundation/contracts/source.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { HttpEdge } from '../../../platform/http/edge.ts';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import { SseConnector } from '../connector.ts';
import { sse } from '../spec.ts';

const never = new AbortController().signal;
export const reply: Outcome = { kind: 'reply', value: null };
export type Flows = Readonly<Record<string, (message: Message) => Outcome | Promise<Outcome>>>;
type SourceConnector = SseConnector & { readonly source: NonNullable<Connector['source']> };

/** A client of a stream, and what came over it. */
export class TestStream {
  text = '';
  isOver = false;
  readonly answer: IncomingMessage;

  constructor(answer: IncomingMessage) {
    this.answer = answer;
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => (this.text += piece));
    answer.on('error', () => undefined);
    answer.on('close', () => (this.isOver = true));
  }

  /** The events that came, in order. */
  get events(): readonly { readonly id: string | undefined; readonly type: string; readonly data: unknown }[] {
    return this.text.split('\n\n').flatMap((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get('data');
      if (data === undefined) return [];
      return [{ id: fields.get('id'), type: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown }];
    });
  }

  get data(): readonly unknown[] {
    return this.events.map(({ data }) => data);
  }

  close(): void {
    this.answer.destroy();
  }
}

/** Connectors of one kind behind a server of their own. */
export class SseBed {
  readonly lines: LogLine[] = [];
  readonly cuts: string[] = [];
  port = 0;
  #listener: HttpListener | undefined;
  readonly #streams: TestStream[] = [];
  readonly #connectors: Connector[] = [];

  connector(settings: Record<string, unknown> = {}, services: Partial<ConnectorServices> = {}): SourceConnector {
    const made = new SseConnector('feed', configured(sse.config, { host: '127.0.0.1', port: 0, ...settings }), {
      ...connectorServices({ log: recordingLog(this.lines) }),
      connectionCut: (_, reason) => void this.cuts.push(reason),
      ...services,
    });
    this.#connectors.push(made);
    return made;
  }

  async open(flows: Flows = {}, settings?: Record<string, unknown>, services?: Partial<ConnectorServices>) {
    const connector = this.connector(settings, services);
    const bound = this.bind(connector, flows);
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await this.serve(bound, services);
    await connector.source.start();
    return connector;
  }

  bind(connector: SourceConnector, flows: Flows): BoundFlows {
    return connector.source.bind(
      Object.entries(flows).map(([operation, deliver]) => ({ flow: operation, operation, words: {}, deliver })),
    );
  }

  /** Puts the flows behind the server. */
  async serve({ http }: BoundFlows, services: Partial<ConnectorServices> = {}): Promise<void> {
    const log = recordingLog(this.lines);
    const edge = new HttpEdge([http as HttpMount], {
      ...connectorServices({ log, ...services }),
      http: httpServices(),
    });
    if (this.#listener !== undefined) {
      this.#listener.swap(edge);
      return;
    }
    this.#listener = new HttpListener(['feed'], edge);
    this.port = (await this.#listener.listen()).port;
  }

  /** Resolves when the stream is open; rejects with the status of a refusal. */
  async connect(path = '', headers: RequestOptions['headers'] = {}): Promise<TestStream> {
    const answer = await this.ask(path, headers);
    if (answer.statusCode !== 200) {
      answer.resume();
      throw new Error(String(answer.statusCode));
    }
    const stream = new TestStream(answer);
    this.#streams.push(stream);
    await until(() => stream.text.includes('retry: '));
    return stream;
  }

  ask(path = '', headers: RequestOptions['headers'] = {}, base = '/events'): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      get(
        {
          port: this.port,
          host: '127.0.0.1',
          path: `${base}${path}`,
          headers: { connection: 'keep-alive', ...headers },
          agent: false,
        },
        resolve,
      ).once('error', reject);
    });
  }

  /** Sends a payload as a flow does. */
  async push(connector: Connector, call: Partial<CallDescription>, request: CallRequest = {}): Promise<unknown> {
    const execute = connector.target?.prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
      ...call,
    });
    return execute?.(request);
  }

  /** Ends the streams of all clients without a goodbye. */
  cut(): void {
    for (const stream of this.#streams) stream.close();
  }

  async close(): Promise<void> {
    this.cut();
    await Promise.all(this.#connectors.map((connector) => connector.close()));
    await this.#listener?.close(AbortSignal.abort());
  }
}
