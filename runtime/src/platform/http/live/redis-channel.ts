import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { backoffDelay } from '../../net/backoff.ts';
import { addressOf } from '../../net/redis/address.ts';
import { reconnect, redisClient } from '../../net/redis/client.ts';
import { placeOf, RedisConnection } from '../../net/redis/connection.ts';
import { storeFailure, wasNotDone } from '../../net/redis/failure.ts';
import { isProcessLocal } from '../../sync/storage-spec.ts';
import type { SharedChannel } from './broadcaster.ts';
import { compareIds, firstId } from './event-id.ts';
import type { Posted, Push } from './push.ts';
import type { liveStorage } from './storage-spec.ts';
import { postedOf, wordsOf } from './stream-entry.ts';

/** Milliseconds. */
const timeout = 2_000;
const connectTimeout = 5_000;
/** How long the server holds back an answer while there is nothing to read. */
const blockTime = 5_000;
/** Entries that are read at a time. */
const mostRead = 128;
/** Largest text or bytes of one entry. */
const mostBytes = 16_777_216;

export interface RedisChannelOptions {
  readonly storage: Values<typeof liveStorage>;
  readonly service: string;
  readonly connector: string;
  /** Entries that the server keeps at least. */
  readonly kept: number;
  readonly log: Log;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** What is done with what is read. */
export interface ChannelReader {
  /** Resolves when the next may come; undefined: at once. */
  deliver(posted: Posted): Promise<void> | undefined;
  /** Something before this entry was not read, and is not kept any longer. */
  lost(before: string): void;
}

/**
 * What flows of all processes send to the clients of one connector, in one order: a stream of Redis. Each process adds to
 * it and reads all of it, its own part too, so that everything reaches each client once and in the same order. After a
 * lost connection it is read from the entry on that was the last.
 */
export class RedisChannel implements SharedChannel {
  readonly #options: RedisChannelOptions;
  readonly #key: string;
  readonly #writer: RedisConnection;
  readonly #reader: RedisConnection;
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #last = firstId;

  constructor(options: RedisChannelOptions) {
    const { storage, service, connector, log, userAgent } = options;
    const address = addressOf(storage);
    const shared = { address, connectTimeout, name: userAgent };
    this.#options = options;
    // A key that is written has no braces: services of one server meet where they name the same, and nowhere else.
    this.#key = `svc:live:${storage.key ?? `{${service}}:${connector}`}`;
    const what = 'the store that processes share live clients by';
    const connection = (limit: number) =>
      new RedisConnection(redisClient({ ...shared, timeout: limit }), placeOf(address), what, log);
    this.#writer = connection(timeout);
    this.#reader = connection(blockTime + timeout);
  }

  /** Connects, and gives the newest entries that are kept, oldest first. Rejects with a Failure. */
  async open(signal: AbortSignal): Promise<readonly Posted[]> {
    await Promise.all([this.#writer.open(signal), this.#reader.open(signal)]);
    const { kept } = this.#options;
    const entries = await this.#writer.redis.xrevrange(this.#key, '+', '-', 'COUNT', Math.max(kept, 1)).catch(refused);
    this.#last = entries[0]?.[0] ?? firstId;
    return entries.toReversed().flatMap(([id, words]) => postedOf(id, words) ?? []);
  }

  /** Reads what comes after what `open` gave, until it is closed. */
  start(reader: ChannelReader): void {
    this.#reading ??= this.#read(reader);
  }

  async append(push: Push): Promise<void> {
    const words = wordsOf(push);
    if (words.some(({ length }) => length > mostBytes))
      throw new Failure('value_refused', `what is sent to clients has more than ${mostBytes} bytes`);
    if (!this.#writer.isOpen) throw new Failure('store_unavailable', 'the store of live clients is not open');
    const last = this.#last;
    const id = await this.#add(words);
    if (compareIds(id, last) <= 0) await this.#addAgain(words, id, last);
  }

  /** Why it does not work; undefined when it does. */
  async problem(): Promise<string | undefined> {
    try {
      await this.#writer.check();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#closing.abort();
    // It waits for entries: nothing that it would be answered is wanted.
    this.#reader.redis.disconnect();
    await Promise.all([this.#writer.close(cut), this.#reading]);
  }

  async #add(words: ReturnType<typeof wordsOf>): Promise<string> {
    const most = Math.max(this.#options.kept, mostRead);
    return String(await this.#writer.redis.xadd(this.#key, 'MAXLEN', '~', most, '*', ...words).catch(notSent));
  }

  /**
   * The stream is another one than that whose last entry was read, and the clock of its server is behind: no process
   * would read the entry. It is added again behind the last.
   */
  async #addAgain(words: ReturnType<typeof wordsOf>, id: string, last: string): Promise<void> {
    this.#options.log.warn('the stream of live clients was lost, and its clock is behind', { key: this.#key, last });
    await this.#writer.redis.call('XSETID', this.#key, last).catch(notSent);
    await this.#add(words);
    await this.#writer.redis.xdel(this.#key, id).catch(notSent);
  }

  async #read(reader: ChannelReader): Promise<void> {
    const { signal } = this.#closing;
    const { log, clock } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        if (failures > 0) await this.#findLost(reader);
        const answer = await this.#reader.redis.xread(
          'COUNT',
          mostRead,
          'BLOCK',
          blockTime,
          'STREAMS',
          this.#key,
          this.#last,
        );
        failures = 0;
        for (const [id, words] of answer?.[0]?.[1] ?? []) {
          this.#last = id;
          const posted = postedOf(id, words);
          if (posted === undefined) log.warn('an entry of another form was left out', { key: this.#key, entry: id });
          else await reader.deliver(posted);
        }
      } catch (error) {
        if (signal.aborted) return;
        // The connection says by itself that it is lost; what else fails is said once.
        if (failures++ === 0) log.debug('the stream of live clients was not read', { error: String(error) });
        await clock.sleep(backoffDelay(reconnect, failures), signal).catch(() => undefined);
      }
    }
  }

  /** What was dropped at the server while nothing was read. */
  async #findLost(reader: ChannelReader): Promise<void> {
    const [first] = await this.#reader.redis.xrange(this.#key, '-', '+', 'COUNT', 1);
    if (first === undefined || this.#last === firstId || compareIds(first[0], this.#last) <= 0) return;
    this.#options.log.warn('live clients missed what was sent while the store was unavailable', { key: this.#key });
    reader.lost(first[0]);
  }
}

/** The one of a connector; undefined where it sends to the clients of this process alone. */
export function channelOf(
  connector: string,
  storage: Values<typeof liveStorage> | undefined,
  kept: number,
  { log, clock, service, userAgent }: Pick<ConnectorServices, 'log' | 'clock' | 'service' | 'userAgent'>,
): RedisChannel | undefined {
  if (storage === undefined || isProcessLocal(storage)) return undefined;
  return new RedisChannel({ storage, service, connector, kept, log, clock, userAgent });
}

function refused(error: unknown): never {
  throw storeFailure(error);
}

/** What was sent to the server and not answered may reach clients. */
function notSent(error: unknown): never {
  const failure = storeFailure(error);
  if (failure.code !== 'store_unavailable' || wasNotDone(failure)) throw failure;
  throw new Failure('outcome_unknown', `it may have been sent: ${failure.message}`, { cause: failure });
}
