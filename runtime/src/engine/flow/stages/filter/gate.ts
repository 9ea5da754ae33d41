import type { Drop } from '../../../../foundation/contracts/outcome.ts';
import type { Expression } from '../../compile/expression.ts';
import { valuesRead } from '../../compile/values-read.ts';
import type { Frame } from '../../message/frame.ts';
import type { StepPart } from '../../message/part.ts';
import { watched } from '../../message/watched.ts';
import { whenDone } from '../../message/when-done.ts';

/** The outcome of a message that a gate rejects. */
export type TurnedAway = Pick<Drop, 'policy' | 'messageId' | 'maxRequeue'>;

/**
 * A stage that lets a message through when its condition is true. A condition that cannot be evaluated fails the
 * message.
 */
export function gate(
  stage: 'filter' | 'accept',
  condition: Expression,
  turnAway: (frame: Frame) => TurnedAway,
): StepPart {
  const target = stage === 'filter' ? 'filter' : 'when';
  const expression = condition.program.source;
  const drop = (frame: Frame): Drop => ({
    kind: 'drop',
    reason: stage,
    expression,
    values: () => valuesRead(condition, frame),
    ...turnAway(frame),
  });
  return {
    stage,
    name: '',
    title: stage,
    rules: [{ index: 0, target, expression }],
    step: (frame) => (condition.isTrue(frame) ? undefined : drop(frame)),
    ruled: (watch) => (frame) =>
      whenDone(
        watched(watch, 0, frame, () => condition.decides(frame)),
        (passes) => (passes ? undefined : drop(frame)),
      ),
  };
}
