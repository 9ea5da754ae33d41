import type { Redis, Result } from 'ioredis';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { storeFailure } from '../../../../platform/net/redis/failure.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Defined from `scripts.ts`. */
    svcSessionBegin(
      session: string,
      index: string,
      generation: string,
      ...values: string[]
    ): Result<string[] | string, Context>;
    svcSessionUse(session: string, ...values: string[]): Result<(string | null)[], Context>;
    svcSessionRotate(session: string, ...values: string[]): Result<string, Context>;
    svcSessionFacts(session: string, facts: string): Result<number, Context>;
    svcSessionsOf(none: string, index: string, ...values: string[]): Result<(string | null)[][], Context>;
    svcSessionEnd(session: string, index: string, id: string, user: string): Result<number, Context>;
    svcSessionEndAll(none: string, index: string, generation: string, ...values: string[]): Result<string[], Context>;
    svcAttempt(
      count: string,
      lock: string,
      max: string,
      window: string,
      retry: string,
    ): Result<[number, number, number], Context>;
    svcAttemptFailed(
      count: string,
      lock: string,
      max: string,
      window: string,
      lockout: string,
    ): Result<number, Context>;
    svcAttemptWithdrawn(count: string): Result<number, Context>;
    svcTicketIssue(ticket: string, index: string, ...values: string[]): Result<number, Context>;
    svcTicketTake(ticket: string, prefix: string, digest: string): Result<[string, string] | null, Context>;
    svcTicketDropAll(index: string, prefix: string): Result<number, Context>;
    svcAuthTakeToken(key: string, interval: string, tolerance: string): Result<[number, number, number], Context>;
  }
}

/** Sends a command at once. Rejects with `store_unavailable` when the server is unavailable. */
export type Ask = <T>(send: (redis: Redis) => Promise<T>) => Promise<T>;

/** What the keys of one layout begin with; it is asked when something is sent. */
export type Prefix = () => string;

/** Whole milliseconds, at least one. */
export function life(milliseconds: number): string {
  return String(Math.max(1, Math.round(milliseconds)));
}

export function asking(connected: () => Redis | undefined): Ask {
  return async (send) => {
    const redis = connected();
    if (redis === undefined) throw new Failure('store_unavailable', 'the store cannot be reached: it is not open');
    try {
      return await send(redis);
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
