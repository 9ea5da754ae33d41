import { type Drop, decidedBy, type Outcome } from '../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { backoffDelay } from '../../../platform/net/backoff.ts';
import type { Delivery, Retry, RetryPolicy, Settlement } from '../driver.ts';
import { Tries } from './tries.ts';

/** What becomes of a message: it is settled at the peer, or tried again after a pause in milliseconds. */
export type Verdict = Settlement | (Retry & { readonly kind: 'again' });

/** Pauses of a message whose flow failed, before it is tried again. */
const pauses = { kind: 'exponential', delay: 1000, maxDelay: 30_000, jitter: true } as const;
/** Requeues of a message that a gate turned away, when the flow does not set a number. */
const standardRequeues = 3;
/** Characters of the reason of a failure that travel with its message. */
const longestReason = 500;

/** Decides what becomes of messages, by the outcome or failure of their flows (docs/queues.md#what-each-end-means). */
export class Verdicts {
  readonly #failures: Tries;
  readonly #requeues: Tries;
  readonly #policy: RetryPolicy | undefined;
  readonly #log: Log;

  /** `now` gives monotonic milliseconds. */
  constructor(policy: RetryPolicy | undefined, now: () => number, log: Log) {
    this.#failures = new Tries(now);
    this.#requeues = new Tries(now);
    this.#policy = policy;
    this.#log = log;
  }

  ofOutcome(delivery: Delivery, outcome: Outcome): Verdict {
    this.#failures.forget(() => delivery.identity());
    if (outcome.kind !== 'drop') return { kind: 'ack' };
    if (outcome.policy === 'requeue' && this.#policy !== undefined) return this.#requeue(delivery, outcome);
    return outcome.policy === 'ack'
      ? { kind: 'ack' }
      : { kind: 'reject', reason: `${decidedBy(outcome)} turned it away` };
  }

  ofFailure(delivery: Delivery, error: unknown, requestId?: string): Verdict {
    const failure = asFailure(error);
    const reason = oneLine(failure.message);
    const said = { flow: failure.at.flow, key: delivery.key, message_id: delivery.id, error: failure.message };
    const policy = this.#policy;
    if (policy === undefined) {
      // Callers can send such messages without end, and hear themselves what was wrong.
      if (!failure.kind.callers)
        this.#log.error('message failed', { ...said, request_id: requestId, code: failure.code });
      else if (delivery.answer === undefined)
        this.#log.warn('message dropped: another try would fail as well', {
          ...said,
          request_id: requestId,
          code: failure.code,
        });
      else if (this.#log.enabled('debug')) this.#log.debug('message refused', { ...said, code: failure.code });
      return { kind: 'reject', reason };
    }
    const forget = () => this.#failures.forget(() => delivery.identity());
    const { settle } = failure;
    if (settle === 'ack' || settle === 'reject') {
      forget();
      return settle === 'ack' ? { kind: 'ack' } : { kind: 'reject', reason };
    }
    if (settle === undefined && failure.passes === 'never') {
      forget();
      if (policy.keepsRejected) {
        this.#log.warn('message rejected: another try would fail as well', said);
        return { kind: 'reject', reason };
      }
      this.#log.warn('message dropped: another try would fail as well, and there is no dead-letter path', said);
      return { kind: 'ack', isGivenUp: true };
    }
    const tries = Math.max(this.#failures.next(delivery.identity()), delivery.tries + 1);
    const { most } = policy;
    if (most !== undefined && tries > most) {
      forget();
      this.#log.error('message rejected after its last try', { ...said, tries });
      return { kind: 'reject', reason };
    }
    const after = backoffDelay(pauses, tries);
    this.#log.warn('message is tried again', { ...said, tries, pause: `${after}ms` });
    return { kind: 'again', tries, after, reason };
  }

  #requeue(delivery: Delivery, drop: Drop): Verdict {
    const { messageId, maxRequeue = standardRequeues, reason, expression } = drop;
    const id = messageId === '' ? delivery.id : messageId;
    const said = { key: delivery.key, message_id: id, reason, decided_by: decidedBy(drop), expression };
    if (id === undefined) {
      this.#log.warn('message dropped: without an identity it is not put back', said);
      return { kind: 'ack' };
    }
    const times = this.#requeues.next(id);
    if (times <= maxRequeue) {
      if (this.#log.enabled('debug'))
        this.#log.debug('message put back by policy', { ...said, requeue: times, max_requeue: maxRequeue });
      return { kind: 'requeue', byPolicy: true };
    }
    this.#requeues.forget(() => id);
    this.#log.warn('message dropped: it was put back often enough', { ...said, max_requeue: maxRequeue });
    return { kind: 'ack' };
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, longestReason);
}
