import { randomUUID } from 'node:crypto';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import type { PatternGrammar } from '../../../intake/dispatch/routes.ts';
import type { Delivery, Driver, RetryPolicy } from '../../../intake/driver.ts';
import type { MongodbConfig } from '../address.ts';
import type { DatabaseClient } from '../client.ts';
import { mongodbFailure } from '../failure.ts';
import { ChangeConnection } from './connection.ts';

/** Each flow names one collection. */
const collectionNames: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: true };

/** Without a `changes` block. */
const defaults = {
  workers: 1,
  window: 100,
  document: 'lookup',
  before: 'none',
  order: 'document',
  max_retries: undefined,
  dead_letters: undefined,
} as const;

/** Delivers the changes of collections, for the intake. */
export class ChangeDriver implements Driver {
  readonly type = 'mongodb';
  readonly patterns = collectionNames;
  readonly window: number;
  readonly workers: number;
  readonly retries: RetryPolicy;
  /** A database without a `changes` block may be a destination only. */
  readonly follows: Driver['follows'];
  readonly #service: string;
  readonly #connector: string;
  readonly #client: DatabaseClient;
  readonly #changes: NonNullable<MongodbConfig['changes']> | typeof defaults;
  /** Names this connector of this process, over all of its connections. */
  readonly #process = randomUUID();
  #connections = 0;
  #connection: ChangeConnection | undefined;
  #collections: readonly string[] = [];

  constructor(service: string, connector: string, { changes = undefined }: MongodbConfig, client: DatabaseClient) {
    this.#service = service;
    this.#connector = connector;
    this.#client = client;
    this.#changes = changes ?? defaults;
    this.follows = changes === undefined ? 'alone' : 'flows';
    const { workers, window, max_retries: most, dead_letters } = this.#changes;
    this.workers = workers;
    this.window = window;
    this.retries = { most, keepsRejected: dead_letters !== undefined, pause: 'slot' };
  }

  get name(): string {
    return this.#collections.join(',');
  }

  get address(): string {
    return this.#client.address.text;
  }

  /** Whether a flow takes changes. */
  get isUsed(): boolean {
    return this.#collections.length > 0;
  }

  follow(bindings: readonly Binding[]): boolean {
    const before = this.name;
    this.#collections = [...new Set(bindings.map(({ operation }) => operation ?? ''))].sort();
    return this.name !== before;
  }

  connect(lost: (reason: string) => void): ChangeConnection {
    const { document, before, order, dead_letters: deadLetters } = this.#changes;
    const looksUp = document === 'lookup';
    const holder = { process: this.#process, life: ++this.#connections };
    const [client, service, connector] = [this.#client, this.#service, this.#connector];
    const shared = { client, service, connector, holder, looksUp, before, order, deadLetters };
    return new ChangeConnection(shared, lost);
  }

  /** The connection that there is now. */
  use(connection: ChangeConnection | undefined): void {
    this.#connection = connection;
  }

  probe(): Promise<void> {
    return this.#client.check(AbortSignal.timeout(probeTime));
  }

  async subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void> {
    try {
      await this.#connection?.subscribe(this.#collections, window, deliver);
    } catch (error) {
      const [connector, address] = [this.#connector, this.address];
      throw mongodbFailure(error, { connector, address, writes: false, timeout: 0 });
    }
  }

  async unsubscribe(): Promise<void> {
    this.#connection?.pause();
  }
}

/** Milliseconds for an answer of the server to the question whether it is there. */
const probeTime = 10_000;
