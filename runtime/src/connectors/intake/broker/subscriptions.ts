import type { QueueCounts } from '../../../foundation/contracts/queue.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Connection } from '../../../platform/net/connection.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { Delivery, Driver } from '../driver.ts';
import { BrokerDelivery, type BrokerMessage, type DeliverySource } from './broker-delivery.ts';
import type { ConnectedDriver } from './connected-driver.ts';
import { type DeadLetters, deadLettersOf, retriesOf } from './dead-letters.ts';
import { DeclaredSources } from './topology.ts';

/** Milliseconds in which a broker ends a subscription; a silent one never does. */
const longestUnsubscribe = 2_000;

interface Subscription {
  readonly deliver: (delivery: Delivery) => void;
  end?: (() => Promise<unknown>) | undefined;
}

/** A connected driver as the intake knows it: its sources, and what is subscribed to over the connection that there is. */
export class Subscriptions<C extends Connection> implements Driver {
  readonly type;
  readonly patterns;
  readonly isSelective;
  readonly follows;
  readonly keys;
  readonly countsBySubscription;
  readonly window;
  readonly workers;
  readonly retries;
  readonly countsHeld;
  readonly take?: () => Promise<Delivery | undefined>;
  readonly waiting?: () => Promise<number | undefined>;
  readonly figures?: () => Promise<ReadonlyMap<string, QueueCounts> | undefined>;
  readonly #driver: ConnectedDriver<C>;
  readonly #deadLetters: DeadLetters | undefined;
  readonly #declared: DeclaredSources<C> | undefined;
  #sources: readonly string[];
  /** Whether messages will be taken; otherwise the connection is for calls, and no source has to exist. */
  isWanted = true;
  #connection: C | undefined;
  /** Sources that were found or declared over this connection. */
  #ensured = new Set<string>();
  #subscription: Subscription | undefined;
  /** Where the last message was taken from: the next one mostly comes from there too. */
  #from: DeliverySource | undefined;

  constructor(driver: ConnectedDriver<C>, log: Log) {
    const { type, patterns, isSelective, countsBySubscription, consumer, sources, topology, sourceKind } = driver;
    this.#driver = driver;
    this.#deadLetters = deadLettersOf(consumer);
    this.#declared = topology && new DeclaredSources(topology, sourceKind, log);
    this.#sources = sources ?? [];
    this.type = type;
    this.patterns = patterns;
    this.isSelective = isSelective;
    // Without a word about its sources a connector may be there to send alone.
    this.follows = sources !== undefined ? undefined : driver.sourcesOf ? ('alone' as const) : ('flows' as const);
    this.keys = driver.keysAreSources === true ? sources : undefined;
    this.countsHeld = driver.countsHeld;
    this.countsBySubscription = countsBySubscription;
    this.window = consumer.prefetch;
    this.workers = consumer.workers;
    this.retries = driver.isAtMostOnce === true ? undefined : retriesOf(this.#deadLetters);
    if (driver.take) this.take = () => this.#take();
    if (driver.inspect) this.waiting = () => this.#waiting();
    if (driver.figures) this.figures = () => this.#figures();
  }

  get name(): string {
    return this.#sources.join(',');
  }

  follow(bindings: readonly Binding[]): boolean {
    const { sources, sourcesOf } = this.#driver;
    const operations = bindings.map(({ operation }) => operation);
    this.#driver.follow?.(operations);
    if (sources !== undefined) return false;
    const before = this.name;
    const named = () => [...new Set(operations.flatMap((operation) => operation || []))];
    this.#sources = sourcesOf?.call(this.#driver, operations) ?? named();
    return this.name !== before;
  }

  /** Declares the sources that the broker does not have. Resolves with their names, for people. */
  async create(connection: C): Promise<readonly string[]> {
    return (await this.#declared?.create(connection, this.#sources)) ?? [];
  }

  /** Works over this connection from now on. Rejects when a source does not exist and is not declared either. */
  async attach(connection: C): Promise<void> {
    this.#connection = connection;
    this.#ensured = new Set();
    if (this.isWanted) await this.#ensure(connection);
  }

  detach(): void {
    this.#connection = undefined;
    this.#subscription = undefined;
  }

  /** A message that belongs to the connection goes to what is subscribed, else to `early`. */
  receive(message: BrokerMessage, early: (delivery: Delivery) => void): void {
    (this.#subscription?.deliver ?? early)(this.#delivery(message));
  }

  async subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void> {
    const connection = this.#connected;
    await this.#ensure(connection);
    const subscription: Subscription = { deliver };
    this.#subscription = subscription;
    const take = (message: BrokerMessage, source?: string) => deliver(this.#delivery(message, source));
    subscription.end = (await this.#driver.subscribe(connection, this.#sources, window, take)) ?? undefined;
  }

  async unsubscribe(): Promise<void> {
    const end = this.#subscription?.end;
    this.#subscription = undefined;
    if (end !== undefined) await withinTime(longestUnsubscribe, end);
  }

  /** Asks the broker whether it delivers: it answers, has each source, and knows that this service consumes it. */
  async probe(connection: C): Promise<void> {
    const { ping, inspect, sourceKind } = this.#driver;
    await ping?.call(this.#driver, connection);
    if (inspect === undefined) return;
    const subscription = this.#subscription;
    for (const source of this.#sources) {
      const { consumers } = await inspect.call(this.#driver, connection, source);
      const isConsumed = subscription?.end !== undefined && subscription === this.#subscription;
      if (isConsumed && consumers === 0)
        throw new Failure('connector_refused', `the broker has no consumer of ${sourceKind} "${source}"`);
    }
  }

  /** Why the connection works with less than it should; undefined when all is well. */
  get concern(): string | undefined {
    return this.#connection && this.#driver.concern?.(this.#connection);
  }

  get #connected(): C {
    if (this.#connection === undefined) throw new Failure('connector_refused', 'the broker is unavailable');
    return this.#connection;
  }

  #delivery(message: BrokerMessage, source = message.key): Delivery {
    const { sources, sourcesOf, mostBytes = 0 } = this.#driver;
    let from = this.#from;
    if (from?.name !== source) {
      const isKey = sources === undefined && sourcesOf === undefined;
      from = { name: source, isKey, deadLetters: this.#deadLetters, mostBytes };
      this.#from = from;
    }
    return new BrokerDelivery(message, from);
  }

  async #ensure(connection: C): Promise<void> {
    for (const source of this.#sources) {
      if (this.#ensured.has(source)) continue;
      await this.#declared?.ensure(connection, source);
      this.#ensured.add(source);
    }
  }

  async #take(): Promise<Delivery | undefined> {
    const connection = this.#connected;
    for (const source of this.#sources) {
      const message = await this.#driver.take?.(connection, source);
      if (message !== undefined) return this.#delivery(message, source);
    }
    return undefined;
  }

  async #waiting(): Promise<number | undefined> {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    let sum = 0;
    for (const source of this.#sources) sum += (await this.#driver.inspect?.(connection, source))?.waiting ?? 0;
    return sum;
  }

  async #figures(): Promise<ReadonlyMap<string, QueueCounts> | undefined> {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    const found = new Map<string, QueueCounts>();
    for (const source of this.#sources) {
      const counts = await this.#driver.figures?.(connection, source);
      if (counts !== undefined) found.set(source, counts);
    }
    return found;
  }
}
