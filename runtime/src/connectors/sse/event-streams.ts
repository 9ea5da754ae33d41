import type { ConnectionCut } from '../../foundation/contracts/connector.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import type { SubscriptionCounts } from '../../foundation/contracts/observer.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Broadcaster } from '../../platform/http/live/broadcaster.ts';
import { type Caller, Callers } from '../../platform/http/live/callers.ts';
import { isEventId } from '../../platform/http/live/event-id.ts';
import type { History } from '../../platform/http/live/history.ts';
import { type Peer, paramsOf } from '../../platform/http/live/peer.ts';
import { LiveSession, mayEnd } from '../../platform/http/websocket/live-session.ts';
import type { ClientDriver } from '../intake/clients/client-driver.ts';
import { EventStream, type EventStreamOptions } from './event-stream.ts';
import { type EventFrame, eventFrame, gap, retryFrame } from './frame.ts';
import { Heart } from './heart.ts';
import { roomsOf } from './rooms-of.ts';
import { StreamEvents } from './stream-events.ts';

/** How often the session of a client is looked at, in milliseconds. */
const lookEvery = 30_000;
/** Events pass proxies as they come. */
const headers = ['cache-control', 'no-cache', 'x-accel-buffering', 'no'];

/** Times in milliseconds, sizes in bytes. */
export interface EventStreamsOptions {
  /** 0: never. */
  readonly heartbeatInterval: number;
  /** How long clients wait before they connect again. */
  readonly retry: number;
  readonly mostClients: number;
  readonly mostOfCaller: number;
  readonly mostUnsent: number;
  /** The parameter of the query string that carries a credential: no flow sees it. */
  readonly secretParameter: string | undefined;
  readonly permits: (origin: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly counts: SubscriptionCounts;
  readonly cut: (reason: ConnectionCut) => void;
}

/** The open streams of one connector. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #broadcaster: Broadcaster<EventFrame, EventStream>;
  readonly #events: StreamEvents;
  readonly #callers: Callers;
  /** Open, or about to be, or gone and not handled to the end. */
  #count = 0;
  #made = 0;
  #isOpen = false;
  readonly #heart: Heart;
  readonly #shared: EventStreamOptions;

  constructor(options: EventStreamsOptions, driver: ClientDriver, broadcaster: Broadcaster<EventFrame, EventStream>) {
    this.#options = options;
    this.#broadcaster = broadcaster;
    const { mostUnsent, cut, counts } = options;
    this.#shared = { mostUnsent, cut, delivered: counts.delivered, ended: (stream) => this.#ended(stream) };
    this.#heart = new Heart(broadcaster.rooms.all);
    this.#events = new StreamEvents(driver);
    this.#callers = new Callers(options.mostOfCaller, undefined, options.now);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    const { heartbeatInterval } = this.#options;
    if (heartbeatInterval > 0) this.#heart.start(heartbeatInterval);
  }

  /** Has everybody connect again, not all at the same time, and ends the streams. */
  close(): void {
    this.#isOpen = false;
    this.#heart.stop();
    const { retry } = this.#options;
    for (const stream of [...this.#broadcaster.rooms.all]) stream.goAway(Math.round(retry * (1 + Math.random())));
  }

  /** Answers a request with events, for as long as its caller takes them. */
  handle(exchange: HttpExchange): void {
    try {
      const rooms = this.#admitted(exchange);
      const peer = this.#peerOf(exchange);
      const { auth } = exchange;
      this.#count++;
      const caller = this.#callers.connected(auth);
      const asking = this.#events.mayJoin(peer, rooms);
      if (asking === undefined) this.#begin(exchange, peer, caller, rooms);
      else
        void asking
          .then((refused) => {
            if (refused !== undefined) throw refused;
            this.#begin(exchange, peer, caller, rooms);
          })
          .catch((error: unknown) => {
            this.#left(caller);
            exchange.refuse(error);
          });
    } catch (error) {
      exchange.refuse(error);
    }
  }

  /** The rooms that a request names. Throws where it gets no stream. */
  #admitted({ auth, request, params, query }: HttpExchange): readonly string[] {
    const { origin, host } = request.headers;
    if (origin !== undefined && !isOfHost(origin, host) && !this.#options.permits(origin))
      throw new Failure('permission_denied', 'pages of this origin may not open a stream here');
    if (!this.#isOpen) throw new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 });
    const rooms = roomsOf(params, query);
    if (this.#count >= this.#options.mostClients)
      throw new Failure('overloaded', 'there are too many clients; try again shortly', { retryAfter: 1000 });
    if (!this.#callers.mayConnect(auth))
      throw new Failure('rate_limited', 'this caller has too many streams', { retryAfter: 1000 });
    return rooms;
  }

  #peerOf({ auth, query, remoteAddress }: HttpExchange): Peer {
    const params = paramsOf(query, this.#options.secretParameter);
    return { id: `sse_${++this.#made}`, auth, params, remoteAddress };
  }

  #begin(exchange: HttpExchange, peer: Peer, caller: Caller, rooms: readonly string[]): void {
    const { stillKnown, request, query } = exchange;
    const last = request.headers['last-event-id'] ?? query['last_event_id'];
    const response = this.#isOpen ? exchange.keepOpen(200, 'text/event-stream', headers) : undefined;
    if (response === undefined) {
      this.#left(caller);
      exchange.refuse(new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 }));
      return;
    }
    const { retry, counts, now } = this.#options;
    const stream = new EventStream(peer, caller, response, this.#shared);
    if (mayEnd(peer.auth, stillKnown)) {
      // A caller whose session has ended may come again with another one.
      stream.session = new LiveSession(
        { interval: lookEvery, endedCode: 0, now },
        { close: () => stream.goAway(retry) },
      );
      stream.session.begin(peer.auth, stillKnown);
    }
    counts.connected(1);
    this.#broadcaster.joined(stream);
    for (const room of rooms) this.#broadcaster.rooms.join(stream, room);
    stream.send(retryFrame(retry));
    if (typeof last === 'string' && last !== '') this.#replay(stream, last);
    this.#events.connected(peer);
  }

  #ended(stream: EventStream): void {
    const { peer, caller, session } = stream;
    session?.forget();
    this.#options.counts.connected(-1);
    this.#broadcaster.rooms.remove(stream);
    void this.#events.disconnected(peer).then(() => this.#left(caller));
  }

  #replay(stream: EventStream, last: string): void {
    const { history } = this.#broadcaster;
    if (history === undefined) return;
    history.expire();
    const isKnown = isEventId(last) && history.reachesBackTo(last) && !this.#isAhead(last, history);
    if (!isKnown) stream.send(gap);
    stream.catchUp(isKnown ? last : history.since, (after) => {
      if (!history.reachesBackTo(after)) stream.send(gap);
      const next = history.after(after);
      if (next === undefined) return undefined;
      return { id: next.id, frame: this.#broadcaster.isFor(next, stream) ? eventFrame(next) : undefined };
    });
  }

  /** Whether nothing of the kind was sent yet: by a process before this one whose clock was ahead. */
  #isAhead(last: string, history: History): boolean {
    return !history.isShared && history.isAfter(last);
  }

  #left(caller: Caller): void {
    this.#count--;
    this.#callers.disconnected(caller);
  }
}

function isOfHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
