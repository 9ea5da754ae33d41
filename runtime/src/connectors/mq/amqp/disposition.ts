import { createHash } from 'node:crypto';
import { asFailure } from '../../../errors/classify.ts';
import type { Failure } from '../../../errors/failure.ts';
import { type Drop, decidedBy, type Outcome } from '../../../flow/outcome.ts';
import { backoffDelay } from '../../../net/backoff.ts';
import type { Log } from '../../../observe/log.ts';
import type { Received } from './message.ts';
import { Tries } from './tries.ts';

/** What the broker is told about a message: it is done, it is not wanted, or it shall come again, maybe after a pause. */
export interface Disposition {
  readonly kind: 'ack' | 'reject' | 'requeue';
  /** Milliseconds before it goes back. */
  readonly after?: number;
}

/** Pauses of a message whose flow failed, before it goes back to the queue. */
const pauses = { kind: 'exponential', delay: 1000, maxDelay: 30_000, jitter: true } as const;
/** Requeues of a message that a gate turned away, when the flow says no number. */
const standardRequeues = 3;

/** Decides what becomes of messages (supplement 9.2, table of outcomes). */
export class Dispositions {
  readonly #failures: Tries;
  readonly #requeues: Tries;
  readonly #log: Log;

  /** `now` gives milliseconds. */
  constructor(now: () => number, log: Log) {
    this.#failures = new Tries(now);
    this.#requeues = new Tries(now);
    this.#log = log;
  }

  ofOutcome(received: Received, outcome: Outcome): Disposition {
    this.#failures.forget(() => identityOf(received));
    if (outcome.kind === 'reply') return { kind: 'ack' };
    return outcome.policy === 'requeue' ? this.#again(received, outcome) : { kind: outcome.policy };
  }

  ofFailure(received: Received, error: unknown): Disposition {
    const failure = asFailure(error);
    const { flow } = failure.at;
    const said = { flow, key: received.fields.routingKey, message_id: idOf(received), error: failure.message };
    const { settle } = failure;
    const forget = () => this.#failures.forget(() => identityOf(received));
    if (settle === 'ack' || settle === 'reject') {
      forget();
      return { kind: settle };
    }
    if (settle === undefined && isPermanent(failure)) {
      forget();
      this.#log.warn('message dropped: no other try could mend its failure', said);
      return { kind: 'ack' };
    }
    const tries = Math.max(this.#failures.next(identityOf(received)), returnsOf(received) + 1);
    const after = backoffDelay(pauses, tries);
    this.#log.warn('message goes back to its queue', { ...said, tries, pause: `${after}ms` });
    return { kind: 'requeue', after };
  }

  #again(received: Received, drop: Drop): Disposition {
    const { messageId, maxRequeue = standardRequeues, reason, expression } = drop;
    const id = messageId === '' ? idOf(received) : messageId;
    const key = received.fields.routingKey;
    const said = { key, message_id: id, reason, decided_by: decidedBy(drop), expression };
    if (id === undefined) {
      this.#log.warn('message dropped: without an identity it is not put back', said);
      return { kind: 'ack' };
    }
    const times = this.#requeues.next(id);
    if (times <= maxRequeue) {
      if (this.#log.enabled('debug'))
        this.#log.debug('message put back by policy', { ...said, requeue: times, max_requeue: maxRequeue });
      return { kind: 'requeue' };
    }
    this.#requeues.forget(() => id);
    this.#log.warn('message dropped: it was put back often enough', { ...said, max_requeue: maxRequeue });
    return { kind: 'ack' };
  }
}

/**
 * What lies in the message itself, or in what another system says of it, is the same in every try. A defect of this
 * service may be mended while the message waits.
 */
function isPermanent({ code, kind, retriable, upstream }: Failure): boolean {
  return !retriable && code !== 'cancelled' && (kind.callers || upstream !== undefined);
}

export function idOf({ properties }: Received): string | undefined {
  const { messageId } = properties as { readonly messageId?: unknown };
  return typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
}

/** The same for each delivery of one message: its id, else what it consists of. */
function identityOf(received: Received): string {
  const id = idOf(received);
  if (id !== undefined) return `id ${id}`;
  const { exchange, routingKey } = received.fields;
  return createHash('sha1').update(`${exchange}\n${routingKey}\n`).update(received.content).digest('base64');
}

/** How often a quorum queue says that the message came back. */
function returnsOf({ properties }: Received): number {
  const count = Number(properties.headers?.['x-delivery-count'] ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
