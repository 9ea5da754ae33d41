import type { Message } from '../../../../contracts/message.ts';
import type { Outcome } from '../../../../contracts/outcome.ts';
import type { Binding } from '../../../../contracts/source.ts';
import { asFailure } from '../../../../errors/classify.ts';
import { Failure } from '../../../../errors/failure.ts';
import { dropAnswer } from '../../../../http/drop-answer.ts';
import type { Fit } from './fit.ts';

/**
 * Runs a flow and fits what it answers; null for a message that it drops. What it returns is a promise when something
 * had to wait. Throws or rejects with a Failure.
 */
export function deliverer({ flow, deliver }: Binding, fit: Fit): (message: Message) => unknown {
  const settle = (outcome: Outcome) => {
    if (outcome.kind === 'reply') return fit(outcome.value);
    const answered = dropAnswer(outcome);
    if (answered instanceof Failure) throw answered;
    return null;
  };
  const fail = (error: unknown) => {
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
