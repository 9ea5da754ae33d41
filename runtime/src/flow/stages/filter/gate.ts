import type { Expression } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import type { Drop } from '../../outcome.ts';
import type { StepPart } from '../../part.ts';
import { watched } from '../../watched.ts';
import { whenDone } from '../../when-done.ts';

/** A stage that lets a message through when its condition is true. A condition that cannot tell fails the message. */
export function gate(stage: 'filter' | 'accept', condition: Expression, drop: (frame: Frame) => Drop): StepPart {
  const target = stage === 'filter' ? 'filter' : 'when';
  return {
    stage,
    name: '',
    title: stage,
    rules: [{ index: 0, target, expression: condition.program.source }],
    step: (frame) => (condition.isTrue(frame) ? undefined : drop(frame)),
    ruled: (watch) => (frame) =>
      whenDone(
        watched(watch, 0, frame, () => condition.isTrue(frame)),
        (passes) => (passes ? undefined : drop(frame)),
      ),
  };
}
