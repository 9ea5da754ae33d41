import { type ExecutionResult, GraphQLError } from 'graphql';
import type { HttpExchange } from '../../../../foundation/contracts/http.ts';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import type { SubscriptionCounts } from '../../../../foundation/contracts/observer.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { ErrorForm } from '../execution/errors.ts';
import type { Asker } from '../execution/field-message.ts';
import type { Prepared } from '../execution/prepared.ts';
import type { GraphqlRequest } from '../http/request.ts';
import { errorsOf } from './errors.ts';
import { EventFeed } from './event-feed.ts';
import { encodeResult } from './results.ts';
import type { Receiver, Subscriber } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Times in milliseconds, sizes in bytes. */
export interface EventStreamOptions {
  /** How often a stream carries a comment. */
  readonly keepAlive: number;
  readonly mostClients: number;
  /** Bytes of events that wait for one caller. */
  readonly mostHeld: number;
  readonly errors: ErrorForm;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a subscription is answered that is asked for like a query. */
export function notHere(streams: EventStreams | undefined): GraphQLError {
  if (streams === undefined) return new GraphQLError('subscriptions are not served here');
  return new GraphQLError('a subscription is asked for over WebSocket, or with `Accept: text/event-stream`');
}

/** Whether the caller wants its answer as a stream of events. */
export function takesEvents({ request: { headers } }: HttpExchange): boolean {
  return headers.accept?.toLowerCase().includes('text/event-stream') === true;
}

const contentType = 'text/event-stream; charset=utf-8';
/** Proxies pass each event on when it comes. */
const headers = ['cache-control', 'no-store', 'x-accel-buffering', 'no'];

/**
 * The streams of server-sent events of one connector: each carries one operation (the distinct connections mode of
 * graphql-sse, its PROTOCOL.md).
 */
export class EventStreams {
  readonly #options: EventStreamOptions;
  readonly #subscriptions: Subscriptions;
  readonly #counts: SubscriptionCounts;
  readonly #feeds = new Set<EventFeed>();
  #isOpen = false;

  constructor(options: EventStreamOptions, subscriptions: Subscriptions, counts: SubscriptionCounts) {
    this.#options = options;
    this.#subscriptions = subscriptions;
    this.#counts = counts;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Tells everybody to connect again, and ends the streams. */
  close(): void {
    this.#isOpen = false;
    for (const feed of [...this.#feeds]) feed.goAway();
  }

  /** Answers with what is known already: the result of a query, or the errors of a document. */
  answer(exchange: HttpExchange, result: ExecutionResult): void {
    const encoded = encodeResult(result, this.#options.errors);
    exchange.send(200, contentType, `event: next\ndata: ${encoded}\n\nevent: complete\ndata:\n\n`, headers);
  }

  /** Answers with the events of a subscription, for as long as its caller takes them. */
  async subscribe(exchange: HttpExchange, request: GraphqlRequest, prepared: Prepared): Promise<void> {
    try {
      if (!this.#isOpen) throw new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 });
      if (this.#feeds.size >= this.#options.mostClients)
        throw new Failure('overloaded', 'there are too many clients; try again shortly', { retryAfter: 1000 });
      const subscriber = new StreamSubscriber(exchange);
      const asked = await this.#subscriptions.admit(request, prepared, subscriber, () => exchange.signal());
      if (!this.#isOpen || exchange.cancelled)
        throw new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 });
      this.#stream(exchange, subscriber, (receiver) => {
        const subscription = this.#subscriptions.begin(request, asked, subscriber, receiver);
        return () => this.#subscriptions.end(subscription);
      });
    } catch (error) {
      if (error instanceof Failure && error.code === 'overloaded') exchange.refuse(error);
      else this.answer(exchange, { errors: errorsOf(error) });
    }
  }

  #stream(exchange: HttpExchange, { auth }: Subscriber, begin: (receiver: Receiver) => () => void): void {
    const { stillKnown } = exchange;
    const feed = new EventFeed({ ...this.#options, auth, stillKnown }, () => {
      this.#feeds.delete(feed);
      this.#counts.connected(-1);
    });
    this.#feeds.add(feed);
    this.#counts.connected(1);
    feed.begin(begin);
    exchange.stream(200, contentType, { pieces: feed, isEndless: true }, headers);
  }
}

/** Who asked for a stream, without what else the request was. */
class StreamSubscriber implements Subscriber {
  readonly auth: Auth;
  readonly connectionParams = Object.freeze({});
  readonly params: Readonly<Record<string, unknown>>;
  readonly #headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly #method: string;

  constructor({ auth, query, request }: HttpExchange) {
    const { traceparent: _, tracestate: __, ...headers } = request.headers;
    this.auth = auth;
    this.params = Object.fromEntries(Object.entries(query).filter(([name]) => !ofRequests.has(name)));
    this.#headers = headers;
    this.#method = request.method ?? 'GET';
  }

  asker(signal: () => AbortSignal): Asker {
    const { auth } = this;
    return {
      auth,
      signal,
      hold: () => () => undefined,
      get cancelled() {
        return signal().aborted;
      },
      timeout: undefined,
      request: { headers: this.#headers, method: this.#method },
    };
  }
}

/** Parameters that are the request itself. */
const ofRequests: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions', 'documentId']);
