import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { LateCredentials } from '../../../../foundation/contracts/http.ts';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { Connection } from '../../../../platform/http/websocket/connections.ts';
import type { Asker } from '../execution/field-message.ts';
import { CloseCode } from './close-codes.ts';
import type { CredentialPlaces } from './credentials.ts';
import type { Receiver, Subscriber } from './subscription.ts';

/** What all clients share. */
export interface ClientOptions {
  readonly places: CredentialPlaces;
  /** Milliseconds for the answer of a query or mutation. */
  readonly timeout: number | undefined;
  /** Bytes of results that wait for one client. */
  readonly mostHeld: number;
  readonly log: Log;
}

/** One client at the other end of a WebSocket: who it is, and what it has asked for. */
export class SocketClient implements Subscriber {
  auth: Auth;
  connectionParams: Readonly<Record<string, unknown>> = Object.freeze({});
  readonly params: Readonly<Record<string, unknown>>;
  readonly connection: Connection;
  readonly #options: ClientOptions;
  readonly #headers: IncomingHttpHeaders;
  /** Dropped once it was used: it holds what the handshake was. */
  #late: LateCredentials | undefined;
  #held = 0;
  /** What is under way, by its id. */
  readonly #controllers = new Map<string, AbortController>();

  constructor(
    connection: Connection,
    { headers, late }: { readonly headers: IncomingHttpHeaders; readonly late: LateCredentials | undefined },
    options: ClientOptions,
  ) {
    const { traceparent: _, tracestate: __, ...kept } = headers;
    this.connection = connection;
    this.auth = connection.peer.auth;
    this.params = connection.peer.params;
    this.#headers = kept;
    this.#late = late;
    this.#options = options;
  }

  /** Takes what a client said when it connected; false refuses it. Closes the connection when that cannot be decided. */
  async connect(said: Readonly<Record<string, unknown>> | undefined): Promise<boolean> {
    const { headers, hasCredential, params } = this.#options.places.read(said ?? {});
    const late = this.#late;
    this.#late = undefined;
    this.connectionParams = params;
    if (late === undefined || (!late.required && !hasCredential)) return true;
    const { link, session } = this.connection;
    try {
      const verdict = await late.identify(headers);
      if ('refused' in verdict) return false;
      this.auth = verdict.auth;
      session.begin(verdict.auth, verdict.stillKnown);
      return true;
    } catch (error) {
      this.#options.log.error('the credentials of a subscriber could not be checked', {
        error: asFailure(error).message,
      });
      link.close(CloseCode.tryAgainLater, 'credentials cannot be checked now; try again later');
      return false;
    }
  }

  asker(signal: () => AbortSignal, timeout?: number): Asker {
    const { auth } = this;
    const headers = this.#headers;
    return {
      auth,
      signal,
      hold: () => () => undefined,
      get cancelled() {
        return signal().aborted;
      },
      timeout,
      request: { headers, method: 'GET' },
    };
  }

  /** The signal of one operation, which fires when its client wants no answer any longer. */
  signalOf(id: string): AbortSignal {
    let controller = this.#controllers.get(id);
    if (controller === undefined) this.#controllers.set(id, (controller = new AbortController()));
    return controller.signal;
  }

  abort(id: string): void {
    this.#controllers.get(id)?.abort();
    this.#controllers.delete(id);
  }

  forget(id: string): void {
    this.#controllers.delete(id);
  }

  /** The connection is closed. */
  closed(): void {
    this.#late = undefined;
    for (const id of [...this.#controllers.keys()]) this.abort(id);
  }

  /** Where the events of a subscription go. */
  receiver(id: string, ended: (errors: readonly GraphQLError[] | undefined) => void): Receiver {
    const { link } = this.connection;
    const before = Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
    const most = this.#options.mostHeld;
    return {
      get isReady() {
        return link.isTaken;
      },
      whenReady: (act) => link.whenTaken(act),
      mayHold: (bytes) => this.#held === 0 || this.#held + bytes <= most,
      held: (by) => {
        this.#held += by;
      },
      next: (result) => link.send(Buffer.concat([before, result, closing])),
      end: ended,
    };
  }
}

const closing = Buffer.from('}');
