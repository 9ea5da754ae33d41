import type { Expression } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import type { Drop } from '../../outcome.ts';
import type { StepPart } from '../../part.ts';

/** A stage that lets a message through when its condition is true. A condition that cannot tell fails the message. */
export function gate(stage: 'filter' | 'accept', condition: Expression, drop: (frame: Frame) => Drop): StepPart {
  const step = (frame: Frame) => (condition.isTrue(frame) ? undefined : drop(frame));
  return {
    stage,
    name: '',
    title: stage,
    step,
    ruled: (watch) => async (frame) => {
      await watch.enter(0, frame);
      try {
        const outcome = step(frame);
        watch.leave(0, frame, undefined);
        return outcome;
      } catch (error) {
        watch.leave(0, frame, error);
        throw error;
      }
    },
  };
}
