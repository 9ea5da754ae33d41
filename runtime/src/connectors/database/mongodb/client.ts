import { setMaxListeners } from 'node:events';
import type { KnownTarget } from '@svc/protocol/wire';
import type { ClientSession, Db, MongoClient } from 'mongodb';
import { type ConnectorServices, mostKnown } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { maskCredentials } from '../../../foundation/observe/mask.ts';
import { fired } from '../../../platform/net/fired.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { endedFailure } from '../ended.ts';
import { type Address, addressOf, clientOptions, type MongodbConfig, poolDefaults } from './address.ts';
import type { Types } from './documents/encoder.ts';
import { type Attempt, closedFailure, lateFailure, mongodbFailure } from './failure.ts';
import type { Bounds } from './rows.ts';
import { Slots } from './slots.ts';
import { SentWrites } from './writes/sent-writes.ts';

/** One operation as its caller wants it. */
export interface Execution {
  readonly writes: boolean;
  readonly isMany?: boolean | undefined;
  /** Milliseconds; undefined: that of the connector. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What every command of the driver is given. */
export interface CommandOptions {
  readonly maxTimeMS?: number;
  /** Of reads: what ends them on the way. */
  readonly signal?: AbortSignal;
  /** Of writes. */
  readonly session?: ClientSession;
}

/** Milliseconds by which the server's own limit comes before that of this side. */
const grace = 250;

/** What there is while the database is open. */
export interface Opened {
  readonly client: MongoClient;
  readonly database: Db;
  readonly types: Types;
}

/** What a transaction is made with. */
export interface Held {
  readonly opened: Opened;
  /** Milliseconds for one command; undefined: any. */
  readonly timeout: number | undefined;
  /** Waits for the answer of one command, which is given the milliseconds that the server may take. */
  readonly bounded: <T>(command: (maxTimeMS: number | undefined) => Promise<T>) => Promise<T>;
  /** Rejects with `outcome_unknown` when it is not known whether everything happened or nothing. */
  readonly commit: (session: ClientSession) => Promise<void>;
}

interface Open extends Opened {
  /** Whether the server said that it is in a replica set, or a router to such; one that was not may be later. */
  hasMembers: boolean;
  readonly writes: SentWrites;
  /** Fires when what is under way ends at once. */
  readonly cut: AbortController;
}

/** The client of one database: opens it, bounds and ends what is asked of it, closes it. */
export class DatabaseClient {
  readonly name: string;
  readonly address: Address;
  readonly #config: MongodbConfig;
  readonly #services: ConnectorServices;
  readonly #slots: Slots;
  #open: Open | undefined;
  #closing: Promise<void> | undefined;
  /** Ends what is under way in the client that was closed last. */
  #cutting: AbortController | undefined;

  constructor(name: string, config: MongodbConfig, services: ConnectorServices) {
    this.name = name;
    this.address = addressOf(config);
    this.#config = config;
    this.#services = services;
    const { max = poolDefaults.max, connect_timeout = poolDefaults.connectTimeout } = config.pool ?? {};
    this.#slots = new Slots(name, max, connect_timeout);
  }

  /** How much one read may answer. */
  get bounds(): Bounds {
    const { max_rows: rows, max_response: bytes } = this.#config;
    return { rows, bytes };
  }

  /** What there is now, for those who bound their operations themselves. Throws a Failure while it is not open. */
  get opened(): Opened {
    return this.#required();
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#open !== undefined) return;
    await this.#closing;
    const { ignored, uri } = this.address;
    if (ignored.length > 0) this.#services.log.warn('attributes have no effect beside uri', { attributes: ignored });
    const tls = await readTls(this.#config.tls, this.#services);
    const library = await import('mongodb');
    const client = this.#made(() => new library.MongoClient(uri, clientOptions(this.#config, tls, this.name)));
    const writes = new SentWrites(client);
    try {
      const database = client.db(this.#config.database);
      const connected = client.connect().then(() => database.command({ ping: 1 }));
      connected.catch(() => undefined);
      await Promise.race([connected, fired(signal).then(() => Promise.reject(endedFailure(signal, 'answered')))]);
      const cut = new AbortController();
      // Every operation under way listens.
      setMaxListeners(0, cut.signal);
      this.#open = { client, database, types: library, cut, writes, hasMembers: false };
    } catch (error) {
      void client.close().catch(() => undefined);
      throw this.#failure(error);
    }
  }

  /** What the driver says of settings that it cannot use may hold the address. */
  #made(make: () => MongoClient): MongoClient {
    try {
      return make();
    } catch (error) {
      const text = `database "${this.name}": its address cannot be used: ${maskCredentials((error as Error).message)}`;
      throw new Failure('connector_failed', text, { retriable: false, at: { connector: this.name } });
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    const open = this.#open;
    if (open !== undefined) {
      this.#open = undefined;
      this.#closing = this.#end(open);
    }
    this.#cutting = open?.cut ?? this.#cutting;
    const cutNow = () => {
      this.#cutting?.abort();
      this.#slots.refuse(closedFailure(this.#attempt));
    };
    if (cut?.aborted) cutNow();
    cut?.addEventListener('abort', cutNow, { once: true });
    await this.#closing;
    cut?.removeEventListener('abort', cutNow);
  }

  async #end({ client, cut }: Open): Promise<void> {
    await Promise.race([this.#slots.idle(), fired(cut.signal)]);
    // A server that is silent is not waited for when the time is over.
    const closed = client.close().catch(() => undefined);
    await Promise.race([closed, fired(cut.signal)]);
  }

  /** Asks the server whether it answers. */
  async check(signal: AbortSignal): Promise<void> {
    const { database } = this.#required();
    try {
      await database.command({ ping: 1 }, { signal });
    } catch (error) {
      throw this.#failure(signal.aborted ? endedFailure(signal, 'answered') : error);
    }
  }

  /** Collections and views that are not those of the system. */
  async collections(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    const { database } = this.#required();
    const known: KnownTarget[] = [];
    try {
      for await (const { name, type } of database.listCollections({}, { nameOnly: true, signal })) {
        if (!name.startsWith('system.')) known.push({ name, kind: type === 'view' ? 'view' : 'collection' });
        if (known.length === mostKnown) break;
      }
      return known;
    } catch (error) {
      throw this.#failure(signal.aborted ? endedFailure(signal, 'answered') : error);
    }
  }

  /** Whether the server is in a replica set, or a router to such. */
  async hasMembers(signal: AbortSignal | undefined): Promise<boolean> {
    const open = this.#required();
    if (open.hasMembers) return true;
    const options = signal === undefined ? {} : { signal };
    const { setName, msg } = await open.database.command({ hello: 1 }, options).catch((error: unknown) => {
      throw this.#failure(signal?.aborted ? endedFailure(signal, 'answered') : error);
    });
    open.hasMembers = setName !== undefined || msg === 'isdbgrid';
    return open.hasMembers;
  }

  /**
   * Does `work` with the database within its time. A read ends with its caller; a write that was sent continues, and its
   * caller hears that it was given up.
   */
  async run<T>(execution: Execution, work: (opened: Opened, options: CommandOptions) => Promise<T>): Promise<T> {
    const { signal, writes, timeout = this.#config.statement_timeout } = execution;
    const open = this.#required();
    const began = systemClock.elapsed();
    const release = await this.#slots.take(signal, timeout > 0 ? timeout : undefined);
    const stop = new AbortController();
    const left = Math.max(1, Math.ceil(timeout - (systemClock.elapsed() - began)));
    const limits = timeout > 0 ? { maxTimeMS: left } : {};
    const tracked = writes ? open.writes.begin() : undefined;
    const attempt = { ...this.#attempt, ...execution, timeout, wasSent: tracked?.wasSent };
    const options = { ...limits, ...(tracked ? { session: tracked.session } : { signal: stop.signal }) };
    const late = timeout > 0 ? left + grace : undefined;
    const answer = (async () => work(open, options))();
    const end = () => {
      release();
      // What becomes of the error is decided before it is forgotten whether the write was sent.
      setImmediate(() => tracked?.end());
    };
    answer.then(end, end);
    try {
      return await this.#ended(answer, attempt, [signal, open.cut.signal], late);
    } catch (error) {
      throw mongodbFailure(error, attempt);
    } finally {
      stop.abort();
    }
  }

  /**
   * Holds one of the connections for several commands that belong together. Their errors are Failures; what else `work`
   * rejects with is passed on.
   */
  async hold<T>(signal: AbortSignal | undefined, work: (held: Held) => Promise<T>): Promise<T> {
    const open = this.#required();
    const { statement_timeout: timeout } = this.#config;
    const release = await this.#slots.take(signal);
    const limit = timeout > 0 ? timeout : undefined;
    const bound = async <R>(answer: Promise<R>, attempt: Attempt, ends: AbortSignal | undefined): Promise<R> => {
      answer.catch(() => undefined);
      try {
        return await this.#ended(answer, attempt, [ends, open.cut.signal], limit && limit + grace);
      } catch (error) {
        throw mongodbFailure(error, attempt);
      }
    };
    // What is not committed has not happened, whatever became of its answer.
    const reading = { ...this.#attempt, writes: false };
    try {
      return await work({
        opened: open,
        timeout: limit,
        bounded: (command) => bound(command(limit), reading, signal),
        commit: (session) => bound(committed(session), { ...this.#attempt, writes: true }, undefined),
      });
    } finally {
      release();
    }
  }

  /** The answer, or why no one waits for it any longer. */
  async #ended<T>(
    answer: Promise<T>,
    attempt: Attempt,
    [signal, cut]: readonly [AbortSignal | undefined, AbortSignal],
    late: number | undefined,
  ): Promise<T> {
    const { promise: given, reject } = Promise.withResolvers<never>();
    const timer = late === undefined ? undefined : setTimeout(() => reject(lateFailure(attempt)), late);
    const abort = () => reject(endedFailure(signal, 'answered'));
    const close = () => reject(closedFailure(attempt));
    if (signal?.aborted) abort();
    if (cut.aborted) close();
    signal?.addEventListener('abort', abort, { once: true });
    cut.addEventListener('abort', close, { once: true });
    try {
      return await Promise.race([given, answer]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      cut.removeEventListener('abort', close);
    }
  }

  /** What the server says of one of many documents: it is the only one with which that is wrong. */
  refusal(code: number, message: string): Failure {
    return mongodbFailure(Object.assign(new Error(message), { code }), { ...this.#attempt, writes: true });
  }

  get #attempt(): Attempt {
    return { connector: this.name, address: this.address.text, writes: false, timeout: this.#config.statement_timeout };
  }

  #failure(error: unknown): Failure {
    return mongodbFailure(error, this.#attempt);
  }

  #required(): Open {
    if (this.#open !== undefined) return this.#open;
    throw new Failure('connector_refused', `database "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

async function committed(session: ClientSession): Promise<void> {
  await session.commitTransaction();
}
