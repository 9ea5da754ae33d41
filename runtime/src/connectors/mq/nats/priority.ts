import type { ConsumerInfo } from '@nats-io/jetstream';
import type { Question } from './pulling.ts';
import type { ConsumerConfig } from './spec.ts';

type Written = Pick<ConsumerConfig, 'priority_group' | 'priority' | 'min_pending' | 'min_ack_pending'>;

/** What every question for messages says of its priority group. */
export function questionOf({ priority_group: group, priority, min_pending, min_ack_pending }: Written): Question {
  if (group === undefined) return {};
  return {
    group,
    ...(priority !== undefined && { priority }),
    ...(min_pending !== undefined && { min_pending }),
    ...(min_ack_pending !== undefined && { min_ack_pending }),
  };
}

/** What of a consumer that exists keeps this service from its promises, or undefined. */
export function unfitOf({ config }: ConsumerInfo, written: Written): string | undefined {
  if (config.deliver_subject !== undefined)
    return 'its server pushes messages: a consumer is needed that is asked for them';
  if (config.ack_policy !== 'explicit')
    return `its messages are not acknowledged one by one (ack_policy "${config.ack_policy}")`;
  const { priority_groups: groups = [], priority_policy: policy = 'none' } = config;
  const { priority_group: group, priority, min_pending, min_ack_pending } = written;
  const known = groups.map((name) => `"${name}"`).join(', ');
  if (group === undefined && groups.length > 0)
    return `it gives messages to priority groups alone: write one of ${known} as priority_group in the consumer block`;
  if (group === undefined) return undefined;
  if (groups.length === 0) return `it has no priority groups, and priority_group = "${group}" is written`;
  if (!groups.includes(group)) return `it has no priority group "${group}" but ${known}`;
  if (priority !== undefined && policy !== 'prioritized')
    return `its priority_policy is "${policy}", and \`priority\` is known to "prioritized" alone`;
  if ((min_pending !== undefined || min_ack_pending !== undefined) && policy !== 'overflow')
    return `its priority_policy is "${policy}", and \`min_pending\` and \`min_ack_pending\` are known to "overflow" alone`;
  return undefined;
}
