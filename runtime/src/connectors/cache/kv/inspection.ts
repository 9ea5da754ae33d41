import { Cluster, type Redis } from 'ioredis';
import type { EntrySelection, ListedEntry, StorageInspection } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RedisClient } from '../../../platform/net/redis/client.ts';
import { mastersOf } from '../../../platform/net/redis/cluster.ts';
import { storeFailure } from '../../../platform/net/redis/failure.ts';
import { globEscape, globMatches } from '../../../platform/sync/glob.ts';
import { serverGlob } from './server-glob.ts';

/** Keys asked for with one SCAN: a server is occupied for less than a millisecond by it. */
const scanCount = 100;
/** Scans for one page. */
const mostScans = 200;

/** Looks at the entries below a prefix in Redis servers. `client` throws while it is not open. */
export class KvInspection implements StorageInspection {
  readonly #client: () => RedisClient;
  readonly #prefix: string;

  constructor(client: () => RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  list(selection: EntrySelection, { limit, after, signal }: Parameters<StorageInspection['list']>[1]) {
    return this.#asked(async () => {
      const masters = await this.#masters();
      let place: Place | undefined = placeOf(after);
      const keys: string[] = [];
      for (let scans = 0; place !== undefined && scans < mostScans && keys.length < limit; scans++) {
        if (signal.aborted && scans > 0) break;
        const { found, next } = await this.#scan(masters, place, selection);
        const room = limit - keys.length;
        keys.push(...found.slice(place.skip, place.skip + room));
        place = found.length > place.skip + room ? { ...place, skip: place.skip + room } : next;
      }
      // A server may name a key twice.
      const listed = await Promise.all([...new Set(keys)].map((key) => this.#look(key)));
      return { entries: listed.filter((entry) => entry !== undefined), next: place && textOf(place) };
    });
  }

  read(key: string, longest: number) {
    return this.#asked(async () => {
      const entry = await this.#look(key);
      if (entry === undefined) return undefined;
      if (entry.length > longest) return { ...entry, value: undefined };
      const value = await this.#client().get(this.#prefix + key);
      return value === null ? undefined : { ...entry, value };
    });
  }

  sweep(selection: EntrySelection, after: string | undefined, signal: AbortSignal) {
    return this.#asked(async () => {
      const masters = await this.#masters();
      let place: Place | undefined = placeOf(after);
      let deleted = 0;
      while (place !== undefined && !signal.aborted) {
        const { found, next } = await this.#scan(masters, place, selection);
        deleted += await this.#unlink(found);
        place = next;
      }
      return { deleted, next: place && textOf(place) };
    });
  }

  /** Always in the same order, since places name them by it. */
  async #masters(): Promise<readonly Redis[]> {
    const client = this.#client();
    if (!(client instanceof Cluster)) return [client];
    const nameOf = ({ options: { host, port } }: Redis) => `${host}:${port}`;
    return [...(await mastersOf(client))].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** Keys without the prefix. A server repeats what it said to a cursor while its entries are the same. */
  async #scan(masters: readonly Redis[], { master, cursor }: Place, { pattern, isMeant }: EntrySelection) {
    const whole = globEscape(this.#prefix) + pattern;
    const [next, names] = await (masters[master] ?? (masters[0] as Redis)).scan(
      cursor,
      'MATCH',
      serverGlob(whole),
      'COUNT',
      scanCount,
    );
    const meant = names.filter((name) => globMatches(whole, name)).map((name) => name.slice(this.#prefix.length));
    const isLast = next === '0';
    return {
      found: meant.filter(isMeant),
      next: isLast ? nextMaster(master, masters) : { master, cursor: next, skip: 0 },
    };
  }

  /** Undefined where it is gone, or is not a text. */
  async #look(key: string): Promise<ListedEntry | undefined> {
    const name = this.#prefix + key;
    const client = this.#client();
    const [left, length] = await Promise.all([
      client.pttl(name),
      client.strlen(name).catch((error: Error) => {
        if (error.message.startsWith('WRONGTYPE')) return undefined;
        throw error;
      }),
    ]);
    // One whose last millisecond is over is gone; -2 says that it is.
    if (length === undefined || left === -2 || left === 0) return undefined;
    return { key, length, left: left === -1 ? Number.POSITIVE_INFINITY : left };
  }

  /** In a cluster one command for each, since a command has keys of one slot only. */
  async #unlink(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const names = keys.map((key) => this.#prefix + key);
    const client = this.#client();
    if (!(client instanceof Cluster)) return client.unlink(...names);
    const counts = await Promise.all(names.map((name) => client.unlink(name)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Failure ? error : storeFailure(error);
    }
  }
}

/** Where a page begins: the master by its number, its cursor, and how many of what it says then were given before. */
interface Place {
  readonly master: number;
  readonly cursor: string;
  readonly skip: number;
}

function nextMaster(master: number, masters: readonly Redis[]): Place | undefined {
  return master + 1 < masters.length ? { master: master + 1, cursor: '0', skip: 0 } : undefined;
}

function placeOf(text: string | undefined): Place {
  const [, master = '0', cursor = '0', skip = '0'] = /^(\d{1,5})\.(\d{1,20})\.(\d{1,9})$/.exec(text ?? '') ?? [];
  return { master: Number(master), cursor, skip: Number(skip) };
}

function textOf({ master, cursor, skip }: Place): string {
  return `${master}.${cursor}.${skip}`;
}
