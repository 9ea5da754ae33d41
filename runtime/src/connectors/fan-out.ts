import type { Message } from '../flow/message.ts';
import type { Drop, Outcome } from '../flow/outcome.ts';
import type { Binding } from './contract.ts';

/**
 * Delivers one event to every flow behind it, each with a message of its own, and waits for all (supplement 3.11). Any
 * failure is that of the delivery, the first flow's before the next one's. A success beats every drop; of drops the most
 * demanding one counts.
 */
export async function fanOut(
  bindings: readonly Binding[],
  messageFor: (binding: Binding) => Message,
): Promise<Outcome> {
  const [only] = bindings;
  if (bindings.length === 1 && only !== undefined) return only.deliver(messageFor(only));
  const settled = await Promise.allSettled(bindings.map(async (binding) => binding.deliver(messageFor(binding))));
  const outcomes = settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  return outcomes.reduce((best, next) => (rank(next) > rank(best) ? next : best));
}

const policies: readonly Drop['policy'][] = ['ack', 'reject', 'requeue'];

function rank(outcome: Outcome): number {
  if (outcome.kind === 'reply') return 10;
  return (outcome.reason === 'filter' ? 0 : 5) + policies.indexOf(outcome.policy);
}
