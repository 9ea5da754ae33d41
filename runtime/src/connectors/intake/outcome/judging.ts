import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { textOf } from '../../../platform/net/connection.ts';
import type { DescribeHeld } from '../dispatch/delivered-message.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Undispatched } from '../dispatch/undispatched.ts';
import type { InFlight } from '../in-flight.ts';
import type { IntakeOptions } from '../intake-options.ts';
import type { Verdict, Verdicts } from './verdict.ts';

/** Runs the flows behind a message, answers a sender that waits for it, and finds what becomes of the message. */
export class Judging {
  readonly #verdicts: Verdicts;
  readonly #undispatched: Undispatched;
  readonly #options: IntakeOptions;
  readonly #describe: DescribeHeld;

  constructor(verdicts: Verdicts, undispatched: Undispatched, options: IntakeOptions) {
    this.#verdicts = verdicts;
    this.#undispatched = undispatched;
    this.#options = options;
    const { connector, services } = options;
    this.#describe = ({ delivery, since }) => {
      const { timeout } = delivery;
      if (timeout !== undefined) return { kind: 'request', method: connector, route: delivery.key, timeoutMs: timeout };
      const sinceMs = services.clock.elapsed() - since;
      return { kind: 'message', connector, id: delivery.id ?? '', sinceMs };
    };
  }

  /** Never throws or rejects; gives a promise only where a flow does. */
  judge(inFlight: InFlight, dispatch: Dispatch): Verdict | Promise<Verdict> {
    try {
      const judging = this.#run(inFlight, dispatch);
      return judging instanceof Promise ? judging.catch((error: unknown) => this.#broken(error)) : judging;
    } catch (error) {
      return this.#broken(error);
    }
  }

  #run(inFlight: InFlight, dispatch: Dispatch): Verdict | Promise<Verdict> {
    const bindings = dispatch.match(inFlight.delivery);
    if (bindings === undefined) return this.#undispatched.refuse(inFlight.delivery.key);
    let running: Outcome | Promise<Outcome>;
    try {
      running = dispatch.run(inFlight, bindings, this.#describe);
    } catch (error) {
      return this.#failed(inFlight, error);
    }
    if (!(running instanceof Promise)) return this.#ran(inFlight, running);
    inFlight.await();
    return running.then(
      (outcome) => this.#ran(inFlight, outcome),
      (error: unknown) => this.#failed(inFlight, error),
    );
  }

  #ran(inFlight: InFlight, outcome: Outcome): Verdict {
    inFlight.answer(outcome);
    return this.#verdicts.ofOutcome(inFlight.delivery, outcome);
  }

  #failed(inFlight: InFlight, error: unknown): Verdict {
    const failure = asFailure(error);
    const requestId = inFlight.answer(failure);
    return this.#verdicts.ofFailure(inFlight.delivery, failure, requestId);
  }

  /** The driver threw where it promises not to: that message is given up, and its slot is free. */
  #broken(error: unknown): Verdict {
    const { connector, services } = this.#options;
    services.log.error('message rejected: its source failed while it was handled', { connector, error });
    return { kind: 'reject', reason: textOf(error) };
  }
}
