import type { Expression } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import type { Drop } from '../../outcome.ts';
import type { StepPart } from '../../part.ts';
import { watched } from '../../watched.ts';

/** A stage that lets a message through when its condition is true. A condition that cannot tell fails the message. */
export function gate(stage: 'filter' | 'accept', condition: Expression, drop: (frame: Frame) => Drop): StepPart {
  const step = (frame: Frame) => (condition.isTrue(frame) ? undefined : drop(frame));
  return {
    stage,
    name: '',
    title: stage,
    step,
    ruled: (watch) => (frame) => watched(watch, 0, frame, () => step(frame)),
  };
}
