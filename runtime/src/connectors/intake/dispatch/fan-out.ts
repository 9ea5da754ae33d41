import type { Message } from '../../../foundation/contracts/message.ts';
import type { Drop, DropCounts, Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';

/**
 * Delivers one event to every flow behind it, each with a message of its own, and waits for all
 * (docs/specification/queues.md#several-flows-of-one-message). Any failure is that of the delivery: one that may pass
 * before one that never does, so that no flow loses its message to another one, and the first flow's before the next one's. A success beats every drop; of drops the most demanding one counts, and its flow alone is notified
 * so.
 */
export async function fanOut(
  bindings: readonly Binding[],
  messageFor: (binding: Binding) => Message | Promise<Message>,
): Promise<Outcome> {
  const [only] = bindings;
  if (bindings.length === 1 && only !== undefined) return only.deliver(await messageFor(only));
  const verdict = new Verdict(bindings.length);
  const settled = await Promise.allSettled(
    bindings.map(async (binding, at) => {
      try {
        const message = messageFor(binding);
        // What is there begins at once, so that a message that comes later does not begin before it.
        const ready = message instanceof Promise ? await message : message;
        const outcome = await binding.deliver(ready, verdict.askedBy(at));
        verdict.ended(at, outcome);
        return outcome;
      } catch (error) {
        verdict.ended(at, 'failed');
        throw error;
      }
    }),
  );
  const failures = settled.filter((each) => each.status === 'rejected').map(({ reason }) => asFailure(reason));
  const failure = failures.find(({ passes }) => passes === 'later') ?? failures[0];
  if (failure !== undefined) throw failure;
  const outcomes = settled.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
  return outcomes[decidingOne(outcomes)] as Outcome;
}

/** What one event comes to, as soon as each of its flows has ended or waits to hear it. */
class Verdict {
  readonly #ends: (Outcome | 'failed' | undefined)[];
  readonly #waiting = new Map<number, (counts: boolean) => void>();
  #open: number;

  constructor(flows: number) {
    this.#ends = new Array<undefined>(flows).fill(undefined);
    this.#open = flows;
  }

  askedBy(flow: number): DropCounts {
    return (drop) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#waiting.set(flow, resolve);
      this.ended(flow, drop);
      return promise;
    };
  }

  /** A flow that waits for the verdict has ended for everybody else; its own end tells nothing new. */
  ended(flow: number, end: Outcome | 'failed'): void {
    if (this.#ends[flow] !== undefined) return;
    this.#ends[flow] = end;
    if (--this.#open > 0) return;
    const ends = this.#ends as (Outcome | 'failed')[];
    const deciding = ends.includes('failed') ? -1 : decidingOne(ends as Outcome[]);
    for (const [asking, tell] of this.#waiting) tell(asking === deciding);
  }
}

/** The position of the outcome that counts. */
function decidingOne(outcomes: readonly Outcome[]): number {
  const ranks = outcomes.map(rank);
  return ranks.indexOf(Math.max(...ranks));
}

const policies: readonly Drop['policy'][] = ['ack', 'reject', 'requeue'];

function rank(outcome: Outcome): number {
  if (outcome.kind === 'failed') return 11;
  if (outcome.kind === 'reply') return 10;
  return (outcome.reason === 'filter' ? 0 : 5) + policies.indexOf(outcome.policy);
}
