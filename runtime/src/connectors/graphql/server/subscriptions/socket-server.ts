import type { IncomingMessage } from 'node:http';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { Context, makeServer, Server } from 'graphql-ws';
import type { AdmittedUpgrade, HttpUpgrade } from '../../../../foundation/contracts/http.ts';
import type { SubscriptionCounts } from '../../../../foundation/contracts/observer.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { json } from '../../../../platform/formats/registry.ts';
import {
  type Connection,
  Connections,
  type ConnectionsOptions,
} from '../../../../platform/http/websocket/connections.ts';
import type { ErrorForm } from '../execution/errors.ts';
import type { Prepared } from '../execution/prepared.ts';
import { type GraphqlRequest, requestOf } from '../http/request.ts';
import { CloseCode } from './close-codes.ts';
import { argumentsFor } from './documents-by-kind.ts';
import { Ending } from './ending.ts';
import { errorsOf } from './errors.ts';
import { runOperation } from './operations.ts';
import { type ClientOptions, SocketClient } from './socket-client.ts';
import type { Asked, Subscription } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { UnderWay } from './under-way.ts';

/** Times in milliseconds, sizes in bytes. */
export interface SocketServerOptions
  extends Omit<ConnectionsOptions, 'endedCode' | 'pingFrame' | 'secretParameter'>,
    ClientOptions {
  /** Where clients connect. */
  readonly path: string;
  /** How long a client may take to say who it is. */
  readonly initTimeout: number;
  readonly mostSubscriptions: number;
  readonly log: Log;
  readonly errors: ErrorForm;
}

/** What is known of one operation between the calls of graphql-ws. */
interface Operation {
  readonly id: string;
  readonly request: GraphqlRequest;
  readonly prepared: Prepared;
  /** Of a subscription. */
  readonly asked: Asked | undefined;
}

type Client = Context<Record<string, unknown>, SocketClient>;

/** What is looked at of a message of a client. */
interface Said {
  readonly type?: unknown;
  readonly id?: unknown;
}

/** Types of messages that clients send that no one asked for: they keep a connection open, and do not use a session. */
const byThemselves: ReadonlySet<unknown> = new Set(['ping', 'pong']);
const pingFrame = Buffer.from('{"type":"ping"}');
/** Bytes of one message (docs/graphql-subscriptions.md). */
export const mostMessage = 524_288;

/** The clients of one connector over WebSocket, by the protocol of graphql-ws (`graphql-transport-ws`). */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #subscriptions: Subscriptions;
  readonly #counts: SubscriptionCounts;
  readonly #connections: Connections;
  readonly #underWay: () => UnderWay;
  #protocol: Server<SocketClient> | undefined;

  constructor(
    options: SocketServerOptions,
    subscriptions: Subscriptions,
    underWay: () => UnderWay,
    counts: SubscriptionCounts,
  ) {
    this.#options = options;
    this.#subscriptions = subscriptions;
    this.#underWay = underWay;
    this.#counts = counts;
    const { parameter: secretParameter } = options.places;
    this.#connections = new Connections(
      { ...options, pingFrame, secretParameter, endedCode: CloseCode.forbidden },
      (connection, admitted, request) => this.#serve(connection, admitted, request),
    );
  }

  /** Where clients connect. */
  get upgrade(): HttpUpgrade {
    const { path, places } = this.#options;
    return {
      path,
      protocol: 'websocket',
      awaits: places.areMissing,
      handle: (request, socket, head, admitted) => this.#connections.take(request, socket, head, admitted),
    };
  }

  get isOpen(): boolean {
    return this.#connections.isOpen;
  }

  async open(): Promise<void> {
    if (this.isOpen) return;
    const [{ WebSocketServer }, library] = await Promise.all([import('ws'), import('graphql-ws')]);
    this.#protocol = this.#make(library.makeServer);
    this.#connections.open(
      new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: mostMessage,
        handleProtocols: library.handleProtocols,
      }),
    );
  }

  /** Resolves when every client has gone. */
  close(): Promise<void> {
    return this.#connections.close(CloseCode.goingAway, 'the service is going away');
  }

  #make(make: typeof makeServer): Server<SocketClient> {
    const { initTimeout } = this.#options;
    return make<Record<string, unknown>, SocketClient>({
      connectionInitWaitTimeout: initTimeout,
      onConnect: ({ extra, connectionParams }) => extra.connect(connectionParams),
      onSubscribe: (client, id, payload) => this.#admit(client, id, payload),
      execute: (args) => this.#execute(args),
      subscribe: (args) => this.#subscribe(args),
      onNext: (_client, _id, _payload, _args, { data, errors }) => ({
        ...(data !== undefined && { data: data as Record<string, unknown> | null }),
        ...(errors && { errors: this.#formatted(errors) }),
      }),
      onError: (_client, _id, _payload, errors) => this.#formatted(errors),
      onComplete: ({ extra }, id) => extra.forget(id),
    });
  }

  #serve(connection: Connection, { late }: AdmittedUpgrade, { headers }: IncomingMessage) {
    const { socket, link, session } = connection;
    const client = new SocketClient(connection, { headers, late }, this.#options);
    let receive: (message: string) => Promise<void> = async () => undefined;
    this.#counts.connected(1);
    const closed = this.#protocol?.opened(
      {
        protocol: socket.protocol,
        send: (text) => link.send(Buffer.from(text)),
        close: (code = 1000, reason = '') => link.close(code, reason),
        onMessage: (act) => {
          receive = act;
        },
        onPing: (payload) => link.send(Buffer.from(json.encode({ type: 'pong', payload }))),
      },
      client,
    );
    const act = (message: unknown, { type, id }: Said): Promise<void> | undefined => {
      if (type === 'complete' && typeof id === 'string') client.abort(id);
      // The library takes what is not a text as decoded: its own decoder knows no limits, and loses digits.
      const acted = receive(message as string).catch((error: unknown) => this.#broken(link, error));
      // What comes after it waits until it is known who calls.
      return type === 'connection_init' ? acted : undefined;
    };
    const decoded = (message: unknown): Promise<void> | undefined => {
      const said = (message ?? {}) as Said;
      return session.within(() => act(message, said), !byThemselves.has(said.type));
    };
    const refuse = (error: unknown) => {
      if (error instanceof Failure && error.code === 'overloaded')
        link.close(CloseCode.tryAgainLater, 'try again later');
      else link.close(CloseCode.badRequest, 'Invalid message received');
    };
    return {
      handle: ({ kind, bytes }: { readonly kind: string; readonly bytes: Buffer }) => {
        if (kind !== 'frame') return undefined;
        try {
          const message = decodeBody(json, bytes);
          return message instanceof Promise ? message.then(decoded).catch(refuse) : decoded(message);
        } catch (error) {
          refuse(error);
          return undefined;
        }
      },
      closed: (code: number | undefined, reason: string) => {
        this.#counts.connected(-1);
        client.closed();
        void closed?.(code, reason).catch((error: unknown) => this.#broken(link, error));
      },
    };
  }

  #broken(link: Connection['link'], error: unknown): void {
    this.#options.log.error('a message of a subscriber could not be handled', {
      error: error instanceof Error ? error.message : String(error),
    });
    link.close(CloseCode.internal, 'Internal server error');
  }

  /** Why an operation is refused, or what it is. */
  async #admit(
    { extra: client, subscriptions }: Client,
    id: string,
    payload: object,
  ): Promise<readonly GraphQLError[] | ExecutionArgs> {
    const { mostSubscriptions } = this.#options;
    try {
      if (Object.keys(subscriptions).length > mostSubscriptions)
        throw new Failure('value_refused', `a connection may have ${mostSubscriptions} operations at a time`);
      const request = requestOf(payload);
      const prepared = this.#subscriptions.prepare(request);
      if (!('execute' in prepared)) return prepared.flatMap(errorsOf);
      const asked =
        prepared.kind === 'subscription'
          ? await this.#underWay().during(() =>
              this.#subscriptions.admit(request, prepared, client, () => client.signalOf(id)),
            )
          : undefined;
      const operation: Operation = { id, request, prepared, asked };
      return argumentsFor(prepared.kind, { client, operation });
    } catch (error) {
      client.forget(id);
      return errorsOf(error);
    }
  }

  #execute({ contextValue }: ExecutionArgs): Promise<ExecutionResult> {
    const { client, operation } = contextValue as { readonly client: SocketClient; readonly operation: Operation };
    const { id, request, prepared } = operation;
    const { timeout } = this.#options;
    return this.#underWay().during(() =>
      runOperation(prepared, request, (signal) => client.asker(signal, timeout), client.signalOf(id), timeout),
    );
  }

  #subscribe({ contextValue }: ExecutionArgs): Ending {
    const { client, operation } = contextValue as { readonly client: SocketClient; readonly operation: Operation };
    const { id, request, asked } = operation;
    let subscription: Subscription | undefined;
    const ending = new Ending(() => subscription && this.#subscriptions.end(subscription));
    if (asked === undefined || client.connection.socket.readyState !== client.connection.socket.OPEN) {
      ending.end();
      return ending;
    }
    const receiver = client.receiver(id, (errors) => ending.end(errors && new AggregateError(errors, 'ended')));
    subscription = this.#subscriptions.begin(request, asked, client, receiver);
    return ending;
  }

  #formatted(errors: readonly GraphQLError[]) {
    return this.#options.errors.all(
      errors.flatMap((error) =>
        error.originalError instanceof AggregateError ? errorsOf(error.originalError) : [error],
      ),
    );
  }
}
