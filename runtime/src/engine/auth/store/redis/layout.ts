import type { TokenAnswer } from '../../../../foundation/contracts/storage.ts';
import { bucketOf } from '../../../../platform/sync/bucket.ts';
import { RedisAttemptStore } from './attempts.ts';
import type { Ask, Prefix } from './commands.ts';
import { RedisSessionStore } from './sessions.ts';
import { RedisTicketStore } from './tickets.ts';

/** State under keys with one prefix. */
export class RedisLayout {
  readonly sessions: RedisSessionStore;
  readonly attempts: RedisAttemptStore;
  readonly tickets: RedisTicketStore;
  readonly #ask: Ask;
  readonly #prefix: Prefix;

  constructor(ask: Ask, prefix: Prefix) {
    this.#ask = ask;
    this.#prefix = prefix;
    this.sessions = new RedisSessionStore(ask, prefix);
    this.attempts = new RedisAttemptStore(ask, prefix);
    this.tickets = new RedisTicketStore(ask, prefix);
  }

  async takeToken(key: string, rate: number, burst: number): Promise<TokenAnswer> {
    const { interval, tolerance } = bucketOf(rate, burst);
    const [allowed, remaining, retryAfter] = await this.#ask((redis) =>
      redis.svcAuthTakeToken(`${this.#prefix()}rate:${key}`, String(interval * 1000), String(tolerance * 1000)),
    );
    return { allowed: allowed === 1, remaining, retryAfter };
  }

  /** Notes that something uses this state from `now` on, and gives what of its kind did so after `since`. */
  async enter(kind: 'services' | 'accounts', name: string, now: number, since: number): Promise<readonly string[]> {
    const key = `${this.#prefix()}${kind}`;
    return this.#ask(async (redis) => {
      await redis.zadd(key, now, name);
      await redis.zremrangebyscore(key, '-inf', since);
      return redis.zrange(key, '0', '-1');
    });
  }
}

/** The layout that is written, and the one that is read beside it while the version before may have left something or runs. */
export interface Layouts {
  /** That of the version before, and the one whose keys have the scope. */
  readonly former: RedisLayout;
  readonly scoped: RedisLayout;
  /** One of the two. */
  readonly written: RedisLayout;
  /** Undefined where one layout alone has anything. */
  readonly other: RedisLayout | undefined;
}

/** What the layout that is written has, or else the other one. */
export async function found<T>(
  { written, other }: Layouts,
  look: (layout: RedisLayout) => Promise<T>,
  isMissing: (answer: T) => boolean,
): Promise<T> {
  const answer = await look(written);
  return other !== undefined && isMissing(answer) ? look(other) : answer;
}

/** Does the same in both, the written one first. */
export async function inBoth<T>(
  { written, other }: Layouts,
  work: (layout: RedisLayout) => Promise<T>,
): Promise<readonly T[]> {
  return other === undefined ? [await work(written)] : Promise.all([work(written), work(other)]);
}
