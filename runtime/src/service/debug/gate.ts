import { wireError } from '@svc/protocol/wire';
import type { EventSource, Intake, Pulled } from '../../foundation/contracts/events.ts';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';

/** Event sources by the name of their connector. */
export type EventSources = ReadonlyMap<string, EventSource>;

/** The service whose event sources the gate controls. */
export interface Gated {
  /** Those of the configuration in use. */
  readonly events: EventSources;
  /** Starts those that do not take messages yet; gives the reason for each that cannot. */
  startEvents(): Promise<ReadonlyMap<string, unknown>>;
}

/** Milliseconds for which a client that attached may hold every source, unless it says sooner that it is ready. */
export const longestHold = 5_000;

/** Why a wait ends that was not to last longer. */
const noneCame = new Error('no message came in time');

/** Calls that may wait for messages at the same time. */
const mostWaits = 100;

/**
 * Says how freely the event sources of a service take messages. Without a client every one is open. While one is
 * attached, those that can be pulled wait for `debug.consume` and the others take one message at a time, unless a client
 * says otherwise. A client that attaches may hold all of them until its breakpoints are set. It knows no particular kind
 * of source.
 */
export class EventGate {
  readonly #log: Log;
  #serving: () => Partial<Gated> | undefined = () => undefined;
  #attached = false;
  #suspended: boolean;
  /** Positions that clients set: of one connector, and of all others. */
  readonly #wanted = new Map<string, Intake>();
  #wantedOfAll: Intake = 'demand';
  readonly #waits = new Set<{ readonly connector: string; readonly caller: object; readonly end: AbortController }>();
  /** Clients that are not ready yet, each with what cancels its timeout. */
  readonly #holds = new Map<object, AbortController>();
  /** By connector: resolves when all that wait for a message of it have had a turn. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #clock: Clock;
  readonly #first = Promise.withResolvers<void>();

  /** `suspended`: no event source starts before `release`. */
  constructor(log: Log, suspended: boolean, clock: Clock = systemClock) {
    this.#log = log;
    this.#suspended = suspended;
    this.#clock = clock;
  }

  /** Resolves when the first configuration serves, or after so many milliseconds. */
  begun(milliseconds: number): Promise<void> {
    const over = new AbortController();
    return Promise.race([this.#first.promise, this.#clock.sleep(milliseconds, over.signal)]).finally(() =>
      over.abort(),
    );
  }

  /** No source takes a message before `ready`, or `releaseFor`, of the same client. */
  hold(client: object): void {
    if (this.#holds.has(client)) return;
    this.#holds.set(client, new AbortController());
    this.#apply(this.#serving()?.events);
  }

  /** Starts the timeout after which the hold of a client ends. */
  limitHold(client: object): void {
    const over = this.#holds.get(client);
    if (over === undefined) return;
    this.#clock.sleep(longestHold, over.signal).then(
      () => this.releaseFor(client),
      () => undefined,
    );
  }

  /** The client holds nothing any more: it is ready, has left, or took too long. */
  releaseFor(client: object): void {
    const over = this.#holds.get(client);
    if (over === undefined) return;
    this.#holds.delete(client);
    over.abort();
    this.#apply(this.#serving()?.events);
  }

  serve(serving: () => Partial<Gated> | undefined): void {
    this.#serving = serving;
  }

  /** Whether event sources are not to be started yet. */
  get suspended(): boolean {
    return this.#suspended;
  }

  /** Sets the position of sources before they start. */
  prepare(events: EventSources): void {
    if (this.#suspended && events.size > 0)
      this.#log.info('event sources wait for debug.ready', { connectors: [...events.keys()] });
    this.#apply(events);
  }

  /** Called when other sources came into use, so that no request is missed that was made while they started. */
  async follow(): Promise<void> {
    const gated = this.#serving();
    if (gated === undefined) return;
    this.#first.resolve();
    this.#apply(gated.events);
    if (!this.#suspended) await this.#start(gated);
  }

  /** Lets suspended sources start, once and for all. */
  async release(): Promise<void> {
    if (!this.#suspended) return;
    this.#suspended = false;
    const gated = this.#serving();
    if (gated !== undefined) await this.#start(gated);
  }

  /** The first client came, or the last one left: then every gate opens, and no call waits any more. */
  attachedChanged(attached: boolean): void {
    this.#attached = attached;
    this.#wanted.clear();
    this.#wantedOfAll = 'demand';
    this.#apply(this.#serving()?.events);
  }

  positionOf(connector: string, source: EventSource): Intake {
    if (this.#holds.size > 0) return 'demand';
    if (!this.#attached) return 'open';
    const wanted = this.#wanted.get(connector) ?? this.#wantedOfAll;
    return wanted === 'demand' && source.pull === undefined ? 'single' : wanted;
  }

  /** Moves the gate of one connector, or every one. Pushed sources take one at a time where pulling was asked for. */
  move(position: Intake, connector: string | undefined): void {
    if (connector === undefined) {
      this.#wanted.clear();
      this.#wantedOfAll = position;
    } else {
      const source = this.#sourceOf(connector);
      if (position === 'demand' && source.pull === undefined)
        throw wireError('internalError', `messages of connector "${connector}" are pushed and cannot be pulled`);
      this.#wanted.set(connector, position);
    }
    this.#apply(this.#serving()?.events);
  }

  /**
   * Takes one message; undefined when none came within so many milliseconds. Rejects when `caller` gives up or leaves
   * before one came; nothing is taken then.
   */
  async take(connector: string, caller: object): Promise<Pulled>;
  async take(connector: string, caller: object, within: number | undefined): Promise<Pulled | undefined>;
  async take(connector: string, caller: object, within?: number): Promise<Pulled | undefined> {
    if (this.#waits.size >= mostWaits) throw wireError('invalidParams', 'too many calls wait for messages');
    const wait = { connector, caller, end: new AbortController() };
    this.#waits.add(wait);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const inTime = new AbortController();
    try {
      this.#pullable(connector);
      if (within !== undefined)
        this.#clock.sleep(within, inTime.signal).then(
          () => wait.end.abort(noneCame),
          () => undefined,
        );
      // Calls are served in the order in which they came.
      const before = this.#turns.get(connector);
      this.#turns.set(connector, before === undefined ? over : before.then(() => over));
      if (before !== undefined) await Promise.race([before, aborted(wait.end.signal)]);
      for (;;) {
        const { source, pull } = this.#pullable(connector);
        try {
          return await pull(wait.end.signal);
        } catch (error) {
          wait.end.signal.throwIfAborted();
          // Another configuration came into use meanwhile, and its source takes over.
          if (this.#serving()?.events?.get(connector) === source && this.positionOf(connector, source) === 'demand')
            throw error;
        }
      }
    } catch (error) {
      if (error !== noneCame) throw error;
      return undefined;
    } finally {
      inTime.abort();
      end();
      this.#waits.delete(wait);
    }
  }

  /** Ends the waits of a caller, all or those for one connector. Gives how many there were. */
  cancel(caller: object, connector?: string): number {
    const ended = [...this.#waits].filter(
      (wait) => wait.caller === caller && (connector === undefined || wait.connector === connector),
    );
    for (const { connector: name, end } of ended)
      end.abort(wireError('internalError', `waiting for a message of "${name}" was cancelled: none was taken`));
    return ended.length;
  }

  /** The source of a connector and how to take a message from it. Throws when that is not possible now. */
  #pullable(connector: string): { readonly source: EventSource; readonly pull: NonNullable<EventSource['pull']> } {
    const source = this.#sourceOf(connector);
    if (source.pull === undefined)
      throw wireError('internalError', `messages of connector "${connector}" are pushed and cannot be pulled`);
    if (this.#suspended)
      throw wireError('internalError', `connector "${connector}" has not started: call debug.ready first`);
    if (this.positionOf(connector, source) !== 'demand')
      throw wireError('internalError', `the gate of connector "${connector}" is open: messages come by themselves`);
    return { source, pull: source.pull.bind(source) };
  }

  #sourceOf(connector: string): EventSource {
    const source = this.#serving()?.events?.get(connector);
    if (source === undefined)
      throw wireError('internalError', `connector "${connector}" is not an event source: nothing can be taken from it`);
    return source;
  }

  #apply(events: EventSources | undefined): void {
    for (const [connector, source] of events ?? []) source.admit(this.positionOf(connector, source));
  }

  async #start(gated: Partial<Gated>): Promise<void> {
    for (const [connector, error] of (await gated.startEvents?.()) ?? [])
      this.#log.error('an event source did not start', { connector, error });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
