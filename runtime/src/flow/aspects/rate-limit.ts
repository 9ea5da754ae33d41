import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../errors/failure.ts';
import { TokenBuckets } from '../../net/token-buckets.ts';
import type { Resource } from '../../plan/plan.ts';
import { compileTemplate } from '../template.ts';
import type { FlowTools } from '../tools.ts';
import type { AspectScope } from './scope.ts';
import type { aspect } from './spec.ts';

type LimitBlock = NonNullable<Values<typeof aspect>['rate_limit']>;

/**
 * Takes one token for a message, from the bucket of its key. Throws `rate_limited` when there is none. A key that cannot
 * be told fails the message: it must not pass unlimited (decisions 17).
 */
export function compileLimit(
  block: LimitBlock,
  aspect: string,
  title: string,
  tools: FlowTools,
): (scope: AspectScope) => void {
  const { requests_per_second: rate, burst = Math.max(1, Math.round(rate * 2)) } = block;
  const fill = compileTemplate(block.key, (source, at) => tools.expression(source, at), `${title}: key`);
  const { clock } = tools.services;
  const buckets = tools.services.share(`rate limit of aspect ${aspect}`, () => new SharedBuckets(aspect, clock));
  return (scope) => {
    const key = fill(scope);
    if (key === undefined)
      throw new Failure('expression_failed', `${title}: key must give a text or a number, not a list or an object`);
    const { allowed, retryAfter } = buckets.take(key, rate, burst);
    if (!allowed) throw new Failure('rate_limited', 'rate limit exceeded', { retryAfter });
  };
}

/** The buckets of one aspect, whatever flows it stands before; they outlive reloads. */
class SharedBuckets extends TokenBuckets implements Resource {
  readonly name: string;

  constructor(name: string, clock: ConstructorParameters<typeof TokenBuckets>[0]) {
    super(clock);
    this.name = name;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}
}
