import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { EventSource } from '../../foundation/contracts/events.ts';
import type { HttpMount, Verifier } from '../../foundation/contracts/http.ts';
import type { SubscriptionCounts } from '../../foundation/contracts/observer.ts';
import type { Source } from '../../foundation/contracts/source.ts';
import type { Target } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Cors, corsOf } from '../../platform/http/admission/cors.ts';
import { Broadcaster } from '../../platform/http/live/broadcaster.ts';
import { firstId } from '../../platform/http/live/event-id.ts';
import { Filters } from '../../platform/http/live/filters.ts';
import { History, type HistoryLimits } from '../../platform/http/live/history.ts';
import type { Posted } from '../../platform/http/live/push.ts';
import { pushTarget } from '../../platform/http/live/push-target.ts';
import { channelOf, type RedisChannel } from '../../platform/http/live/redis-channel.ts';
import { verifierOf } from '../../platform/identity/verify.ts';
import { fired } from '../../platform/net/fired.ts';
import { ClientDriver } from '../intake/clients/client-driver.ts';
import { Intake } from '../intake/intake.ts';
import type { EventStream } from './event-stream.ts';
import { EventStreams } from './event-streams.ts';
import { type EventFrame, eventFrame, gap } from './frame.ts';
import { pushes, roomPath, type sse, usualReplay } from './spec.ts';

/** Requests whose credentials are being checked, or whose rooms. */
const mostOpening = 1000;

const uncounted: SubscriptionCounts = {
  connected: () => undefined,
  subscribed: () => undefined,
  delivered: () => undefined,
  dropped: () => undefined,
};

type SseConfig = Values<(typeof sse)['config']>;

export const create: Factory<typeof sse> = (name, config, services) => new SseConnector(name, config, services);

/** Keeps streams of events open, for as long as its own block does not change. */
export class SseConnector implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  /** What becomes of what happens to streams. A debugger holds nothing of it back, as with requests. */
  readonly events: EventSource;
  readonly #intake: Intake;
  readonly #verifier: Verifier | undefined;
  readonly #broadcaster: Broadcaster<EventFrame, EventStream>;
  readonly #streams: EventStreams;
  readonly #mount: HttpMount;
  readonly #channel: RedisChannel | undefined;
  readonly #limits: HistoryLimits;
  readonly #now: () => number;

  constructor(name: string, config: SseConfig, services: ConnectorServices) {
    const { production, log, clock, connectionCut, subscriptions } = services;
    this.name = name;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    const cors = corsFor(config, production);
    const now = () => clock.now();
    const filters = new Filters(log, () => clock.elapsed());
    this.#limits = config.replay ?? usualReplay;
    this.#now = now;
    this.#channel = channelOf(name, config.storage, this.#limits.events, services);
    this.#broadcaster = new Broadcaster({ filters, now, frameOf: eventFrame, channel: this.#channel });
    const driver = new ClientDriver('sse', name, config.workers);
    this.#intake = new Intake(driver, { connector: name, services });
    this.events = this.#intake.events;
    this.#streams = new EventStreams(
      {
        heartbeatInterval: config.heartbeat_interval,
        retry: config.retry,
        mostClients: config.max_clients,
        mostOfCaller: config.max_clients_per_user,
        mostUnsent: config.max_unsent,
        secretParameter: config.auth?.query_param,
        permits: (origin) => cors?.permits(origin) === true,
        now,
        counts: subscriptions?.of(name) ?? uncounted,
        cut: (reason) => connectionCut?.(name, reason),
      },
      driver,
      this.#broadcaster,
    );
    this.#mount = {
      connector: name,
      address: { host: config.host ?? '', port: config.port },
      access: { cors, verifier: this.#verifier, maxInFlight: mostOpening, timeout: undefined },
      builtins: false,
      routes: [config.path, roomPath(config.path)].map((path) => ({
        method: 'GET',
        path,
        handle: (exchange) => this.#streams.handle(exchange),
      })),
    };
    this.source = {
      bind: (bindings) => ({ ...this.#intake.bind(bindings), http: this.#mount }),
      start: () => this.#intake.start(),
      stop: (cut) => this.#stop(cut),
    };
    this.target = pushTarget({
      connector: name,
      operations: pushes,
      filters,
      isOpen: () => this.#streams.isOpen,
      publish: (push) => this.#broadcaster.publish(push),
    });
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#streams.isOpen) return;
    await this.#verifier?.prepare();
    const kept = await this.#channel?.open(signal);
    if (this.#limits.events > 0) this.#broadcaster.history = this.#historyOf(kept);
    this.#channel?.start({
      deliver: (posted) => this.#broadcaster.deliver(posted),
      lost: (before) => this.#lost(before),
    });
    this.#streams.open();
    await this.#intake.connected();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#stop(cut);
  }

  async check(): Promise<string | undefined> {
    if (this.#streams.isOpen) return this.#channel?.problem();
    throw new Failure('connector_refused', 'it takes no clients', { at: { connector: this.name } });
  }

  /** What was sent before is with every client before it hears that the service goes, unless the time for that is over. */
  async #stop(cut?: AbortSignal): Promise<void> {
    const settled = this.#intake.stop(cut);
    await Promise.race([settled.then(() => this.#broadcaster.outbox.idle()), fired(cut)]);
    this.#streams.close();
    await Promise.all([settled, this.#channel?.close(cut)]);
  }

  /** What clients may have missed: `kept` is what other processes have sent. */
  #historyOf(kept: readonly Posted[] | undefined): History {
    const since = kept === undefined ? this.#broadcaster.mark() : sinceOf(kept, this.#limits.events);
    const history = new History(this.#limits, since, this.#now, kept !== undefined);
    for (const posted of kept ?? []) history.add(posted);
    return history;
  }

  #lost(before: string): void {
    this.#broadcaster.history?.lost(before);
    void this.#broadcaster.outbox.push(this.#broadcaster.rooms.all, gap);
  }
}

/** After which entry nothing is missing: as long as there are few, none was dropped. */
function sinceOf(kept: readonly Posted[], most: number): string {
  const [oldest] = kept;
  return oldest === undefined || kept.length < most ? firstId : oldest.id;
}

/** Pages read, and nothing else: they may say what they got last. */
function corsFor({ cors }: SseConfig, production: boolean): Cors | undefined {
  return corsOf(cors && { ...cors, methods: ['GET'], headers: ['Last-Event-ID', 'Authorization'] }, production);
}
