import { answered, type Outcome } from '../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Frame } from './frame.ts';
import type { Part, Run, Step, StepPart } from './part.ts';
import { Restart } from './restart.ts';

/**
 * Folds the parts of a flow into one function. Neighbouring steps run in one loop, an `around` wraps all that follows
 * it, and only real promises are waited for: a flow over synchronous parts answers without one. Everything thrown
 * becomes a Failure that names the flow and the stage.
 */
export function compose(parts: readonly Part[], flow: string): Run {
  let run: Run = reply;
  for (let end = parts.length; end > 0; ) {
    const last = parts[end - 1] as Part;
    if ('around' in last) {
      run = last.around(run);
      end--;
      continue;
    }
    let start = end - 1;
    while (start > 0 && !('around' in (parts[start - 1] as Part))) start--;
    run = sequence(parts.slice(start, end) as StepPart[], run, flow);
    end = start;
  }
  return run;
}

/** The end of every flow that nothing stopped. */
const reply: Run = ({ answer: value, status, grpcStatus, headers }) => answered({ value, status, grpcStatus, headers });

const nothing = Promise.resolve(undefined);

function sequence(parts: readonly StepPart[], next: Run, flow: string): Run {
  const working = parts.filter((part) => part.step !== undefined);
  const steps = working.map((part) => part.step as Step);
  const places = working.map(({ stage, title }) => ({ flow, stage: stage ?? title }));
  const count = steps.length;
  if (count === 0) return next;

  const resume = async (waited: Promise<Outcome | undefined>, at: number, frame: Frame): Promise<Outcome> => {
    try {
      let outcome = await waited;
      while (outcome === undefined && ++at < count) {
        const result = (steps[at] as Step)(frame);
        outcome = result instanceof Promise ? await result : result;
      }
      if (outcome !== undefined) return outcome;
    } catch (error) {
      const again = error instanceof Restart ? error.positionIn(working) : -1;
      if (again < 0) throw asFailure(error, places[at]);
      return resume(nothing, again - 1, frame);
    }
    return next(frame);
  };

  return (frame) => {
    let at = 0;
    try {
      for (; at < count; at++) {
        const result = (steps[at] as Step)(frame);
        if (result === undefined) continue;
        return result instanceof Promise ? resume(result, at, frame) : result;
      }
    } catch (error) {
      throw asFailure(error, places[at]);
    }
    return next(frame);
  };
}
