import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { failureOf } from '../../../../foundation/errors/answered.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { dropAnswer } from '../../../../platform/http/drop-answer.ts';

/** What a flow replied; undefined for a message that it dropped. */
export type Reply = Extract<Outcome, { readonly kind: 'reply' }> | undefined;

/** Runs a flow; a promise where something had to wait. Throws or rejects with a Failure. */
export function delivering({ flow, deliver }: Binding): (message: Message) => Reply | Promise<Reply> {
  const settle = (outcome: Outcome) => {
    if (outcome.kind === 'reply') return outcome;
    if (outcome.kind === 'failed') throw failureOf(outcome);
    const answered = dropAnswer(outcome);
    if (answered instanceof Failure) throw answered;
    return undefined;
  };
  const fail = (error: unknown): never => {
    throw asFailure(error, { flow });
  };
  return (message) => {
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = deliver(message);
    } catch (error) {
      return fail(error);
    }
    return outcome instanceof Promise ? outcome.then(settle, fail) : settle(outcome);
  };
}
