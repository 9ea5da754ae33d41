import { recordingLog } from '../../../../../../test/support/connector-services.ts';
import { type Clock, systemClock } from '../../../../foundation/observe/clock.ts';
import { addressOf } from '../../../../platform/net/redis/address.ts';
import { RedisStateServer } from '../redis/server.ts';
import { RedisStateStore } from '../redis/state.ts';
import { AccountScope } from '../scope.ts';
import { run } from './state-subject.ts';

/** A state of a server that is not open, by default of accounts that no version before had. */
export function redisStateOf(
  url: string | undefined,
  { scope = new AccountScope(run), clock = systemClock, lifetime = 60_000, prefix }: RedisStateParts = {},
): RedisStateStore {
  const server = new RedisStateServer('auth:redis', addressOf({ url, host: '', port: 0 }), recordingLog());
  return new RedisStateStore(server, { accounts: { scope, processLocal: false }, prefix, lifetime, clock });
}

export interface RedisStateParts {
  readonly scope?: AccountScope;
  readonly clock?: Clock;
  readonly lifetime?: number;
  readonly prefix?: string;
}
