import type { Values } from '@svc/protocol/schema';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Frame } from '../message/frame.ts';
import type { Run } from '../message/part.ts';
import type { FlowTools } from '../tools.ts';
import { type BreakerSettings, type BreakerState, CircuitBreaker, type Leave, type Verdict } from './breaker.ts';
import type { aspect } from './spec.ts';

type BreakerBlock = NonNullable<Values<typeof aspect>['circuit_breaker']>;

const shownState: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** The breaker of an aspect around what follows it. A dropped message and an answer are successes, every failure counts. */
export function compileBreaker(block: BreakerBlock, aspect: string, tools: FlowTools): (next: Run) => Run {
  const settings: BreakerSettings = {
    failures: block.failure_threshold === 0 ? 5 : block.failure_threshold,
    successes: block.success_threshold,
    timeout: block.timeout === 0 ? 30_000 : block.timeout,
  };
  const breaker = sharedBreaker(block.name, aspect, tools);
  return (next) => {
    const succeed = (leave: Leave, outcome: Outcome, { failure }: Frame): Outcome => {
      // A saga that failed still answers.
      breaker.leave(leave, failure === undefined ? 'success' : verdictOn(failure), settings);
      return outcome;
    };
    const fail = (leave: Leave, error: unknown): never => {
      breaker.leave(leave, verdictOn(error), settings);
      throw error;
    };
    return (frame: Frame) => {
      const leave = breaker.enter(settings);
      let outcome: Outcome | Promise<Outcome>;
      try {
        outcome = next(frame);
      } catch (error) {
        return fail(leave, error);
      }
      if (!(outcome instanceof Promise)) return succeed(leave, outcome, frame);
      return outcome.then(
        (settled) => succeed(leave, settled, frame),
        (error: unknown) => fail(leave, error),
      );
    };
  };
}

/** A caller that disconnects says nothing about the called system. */
function verdictOn(error: unknown): Verdict {
  return asFailure(error).code === 'cancelled' ? 'neither' : 'failure';
}

/** The breaker of a name, or of one aspect: never that of another aspect which has the name by chance. */
function sharedBreaker(name: string | undefined, aspect: string, { services }: FlowTools): CircuitBreaker {
  const { clock, families, log } = services;
  const key = name === undefined ? `circuit breaker of aspect ${aspect}` : `circuit breaker ${name}`;
  const series = families.circuitBreakerState.of(name ?? `aspect.${aspect}`);
  return services.share(key, () => {
    series.value = 0;
    return new CircuitBreaker(name ?? aspect, clock, (state) => {
      series.value = shownState[state];
      const at = state === 'open' ? 'warn' : 'info';
      log[at]('a circuit breaker changed its state', { breaker: name ?? aspect, state });
    });
  });
}
