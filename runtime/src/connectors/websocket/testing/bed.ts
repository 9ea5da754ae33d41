import { WebSocket } from 'ws';
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
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { create } from '../connector.ts';
import { websocket } from '../spec.ts';

const never = new AbortController().signal;
export const reply: Outcome = { kind: 'reply', value: null };
export type Flows = Readonly<Record<string, (message: Message) => Outcome | Promise<Outcome>>>;

/** A client, and the frames that it received. */
export class TestClient {
  readonly frames: unknown[] = [];
  readonly socket: WebSocket;
  closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    socket.on('close', (code, reason) => (this.closed = { code, reason: String(reason) }));
    socket.on('error', () => undefined);
  }

  send(...frames: readonly (string | object)[]): void {
    for (const frame of frames) this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Joins a room, and waits until it is in it. */
  async join(room: string): Promise<void> {
    this.send({ type: 'join_room', room }, 'x');
    const before = this.frames.length;
    // Frames are handled in order, so that the answer to what is not a frame comes after the room was joined.
    await until(() => this.frames.length > before);
    this.frames.splice(before, 1);
  }
}

/** Connectors of one kind behind a server of their own. */
export class WebSocketBed {
  readonly lines: LogLine[] = [];
  readonly cuts: string[] = [];
  port = 0;
  #listener: HttpListener | undefined;
  readonly #clients: TestClient[] = [];
  readonly #connectors: Connector[] = [];

  connector(settings: Record<string, unknown> = {}, services: Partial<ConnectorServices> = {}): EventConnector {
    const made = create('live', configured(websocket.config, { host: '127.0.0.1', port: 0, ...settings }), {
      ...connectorServices({ log: recordingLog(this.lines) }),
      connectionCut: (_, reason) => void this.cuts.push(reason),
      ...services,
    }) as EventConnector;
    this.#connectors.push(made);
    return made;
  }

  async open(flows: Flows, settings?: Record<string, unknown>, services?: Partial<ConnectorServices>) {
    const connector = this.connector(settings, services);
    const bound = this.bind(connector, flows);
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await this.serve(bound, services);
    await connector.source.start();
    return connector;
  }

  bind(connector: Connector, flows: Flows): BoundFlows {
    return connector.source?.bind(
      Object.entries(flows).map(([operation, deliver]) => ({ flow: operation, operation, words: {}, deliver })),
    ) as BoundFlows;
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
    this.#listener = new HttpListener(['live'], edge);
    this.port = (await this.#listener.listen()).port;
  }

  /** Resolves when the client is connected; rejects with the status of a refusal. */
  async connect(
    query = '',
    options: object = {},
    path = '/ws',
    protocols: readonly string[] = [],
  ): Promise<TestClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}${path}${query}`, [...protocols], options);
    const client = new TestClient(socket);
    this.#clients.push(client);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
      socket.once('error', reject);
    });
    return client;
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

  /** Ends the connections of all clients without a goodbye. */
  cut(): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    await Promise.all(this.#connectors.map((connector) => connector.close()));
    await this.#listener?.close(AbortSignal.abort());
  }
}
