import type { Values } from '@svc/protocol/schema';
import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type SharedLimit, sharedTake } from '../../../platform/net/store-limit.ts';
import { TokenBuckets } from '../../../platform/net/token-buckets.ts';
import { unusable } from '../compile/expression.ts';
import { compileTemplate } from '../compile/template.ts';
import { type FlowTools, storageOf } from '../tools.ts';
import type { AspectScope } from './scope.ts';
import type { aspect } from './spec.ts';

type LimitBlock = NonNullable<Values<typeof aspect>['rate_limit']>;

/**
 * Takes one token for a message, from the bucket of its key. Throws or rejects with `rate_limited` when no token is
 * left. A key that cannot be determined fails the message: it must not pass unlimited
 * (docs/specification/state.md#fail-closed).
 */
export function compileLimit(
  block: LimitBlock,
  aspect: string,
  title: string,
  tools: FlowTools,
): (scope: AspectScope) => undefined | Promise<undefined> {
  const { requests_per_second: rate, burst = Math.max(1, Math.round(rate * 2)), storage } = block;
  const fill = compileTemplate(block.key, (source, at) => tools.expression(source, at), `${title}: key`);
  const { clock, share } = tools.services;
  const buckets = share(`rate limit of aspect ${aspect}`, () => new SharedBuckets(aspect, clock));
  const local = (key: string) => buckets.take(key, rate, burst);
  const take = storage === undefined ? local : takeShared(storage, aspect, { rate, burst, local }, tools);
  const settle = ({ allowed, retryAfter }: TokenAnswer): undefined => {
    if (!allowed) throw new Failure('rate_limited', 'rate limit exceeded', { retryAfter });
  };
  return (scope) => {
    const key = fill(scope);
    if (key === undefined)
      throw unusable(`${title}: key must give a text or a number, not a list or an object`, fill, scope);
    const answer = take(key);
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  };
}

/** The buckets of a store that several processes share. */
function takeShared(
  connector: string,
  aspect: string,
  own: Pick<SharedLimit, 'rate' | 'burst' | 'local'>,
  tools: FlowTools,
): ReturnType<typeof sharedTake> {
  const { clock, log, families, degrade } = tools.services;
  const storage = storageOf(connector, tools);
  const storeAway = (away: boolean) => {
    if (away) families.rateLimitStoreErrors.of().value++;
    degrade(
      `aspect.${aspect}`,
      away ? 'the shared store of its rate limit is unavailable, each process limits alone' : undefined,
    );
  };
  const prefix = `svc:ratelimit:aspect:${aspect}:`;
  return sharedTake({ ...own, connector, storage: () => storage, prefix, clock, log, storeAway });
}

/** The buckets of one aspect, for all flows that it matches; they outlive reloads. */
class SharedBuckets extends TokenBuckets implements Resource {
  readonly name: string;

  constructor(name: string, clock: ConstructorParameters<typeof TokenBuckets>[0]) {
    super(clock);
    this.name = name;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}
}
