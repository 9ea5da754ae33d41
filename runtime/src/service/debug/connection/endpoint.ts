import { answer, type Channel, type Handlers, wireError } from '@svc/protocol/wire';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { breakpointHandlers } from '../handlers/breakpoints.ts';
import { cacheHandlers } from '../handlers/caches.ts';
import type { Caller, Debugger } from '../handlers/caller.ts';
import { gateHandlers } from '../handlers/gate.ts';
import { inspectionHandlers } from '../handlers/inspection.ts';
import { operationHandlers } from '../handlers/operations.ts';
import { outboxHandlers } from '../handlers/outbox.ts';
import { readingHandlers } from '../handlers/reading.ts';
import { sessionHandlers } from '../handlers/session.ts';
import { steppingHandlers } from '../handlers/stepping.ts';
import { valueHandlers } from '../handlers/values.ts';
import type { Session } from '../session.ts';
import type { Answering } from './answering.ts';
import { Outbox } from './outbox.ts';

const handlers: Handlers<Caller> = {
  ...sessionHandlers,
  ...breakpointHandlers,
  ...steppingHandlers,
  ...valueHandlers,
  ...readingHandlers,
  ...inspectionHandlers,
  ...gateHandlers,
  ...outboxHandlers,
  ...operationHandlers,
  ...cacheHandlers,
};

/** Translates the protocol into calls of the hub, for each connection. */
export class DebugEndpoint implements Answering {
  readonly #debugger: Debugger;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #open = new Map<Channel, Connection>();

  constructor(served: Debugger, clock: Clock, log: Log) {
    this.#debugger = served;
    this.#clock = clock;
    this.#log = log;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#open.size;
  }

  /** How many expressions of clients were compiled. */
  get expressionsCompiled(): number {
    return this.#debugger.evaluator.compiled;
  }

  /** Answers a connection until it is over; whatever it held is released then. */
  connect(channel: Channel): void {
    const outbox = new Outbox(channel, this.#clock);
    const connection = new Connection(this.#debugger, outbox, this.#log);
    this.#open.set(channel, connection);
    channel.receive((text) =>
      answer(
        text,
        handlers,
        (method) => (method === 'debug.attach' || connection.session !== undefined ? connection : undefined),
        (reply) => outbox.send(reply, 'kept'),
      ),
    );
    void channel.closed.then(() => {
      this.#open.delete(channel);
      connection.end();
    });
  }

  /** Ends every connection; what they held is released before the other ends have heard of it. */
  close(): void {
    for (const [channel, connection] of this.#open) {
      connection.end();
      channel.close(1001, 'the service stops');
    }
  }
}

class Connection implements Caller {
  readonly hub: Debugger['hub'];
  readonly evaluator: Debugger['evaluator'];
  readonly gate: Debugger['gate'];
  readonly outbox: Debugger['outbox'];
  readonly metrics: Debugger['metrics'];
  readonly service: Debugger['service'];
  session: Session | undefined;
  readonly #events: Outbox;
  readonly #log: Log;
  #isOver = false;

  constructor({ hub, evaluator, gate, outbox, metrics, service }: Debugger, events: Outbox, log: Log) {
    this.hub = hub;
    this.evaluator = evaluator;
    this.gate = gate;
    this.outbox = outbox;
    this.metrics = metrics;
    this.service = service;
    this.#events = events;
    this.#log = log;
  }

  attach(clientName: string | undefined, understands: ReadonlySet<string>): Session {
    if (this.#isOver) throw wireError('internalError', 'the connection is over');
    if (this.session === undefined) {
      this.#events.reports = understands.has('dropped');
      this.session = this.hub.attach(understands, this.#events);
      this.#log.info('debug client attached', { session: this.session.id, client: clientName?.slice(0, 100) });
    }
    return this.session;
  }

  /** Called when the connection is over. */
  end(): void {
    this.#isOver = true;
    this.detach();
  }

  detach(): void {
    const { session } = this;
    this.gate.releaseFor(this);
    if (session === undefined) return;
    this.session = undefined;
    this.gate.cancel(session);
    this.hub.detach(session);
    this.#log.info('debug client left', { session: session.id });
  }
}
