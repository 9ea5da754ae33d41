import type { StepPart } from '../../message/part.ts';
import { type FlowModel, reads } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileInvalidation } from './invalidation.ts';

/** Drops cache entries once a writing flow, or one without a destination, has succeeded. */
export function after(model: FlowModel, tools: FlowTools): StepPart[] {
  const block = model.values.after?.invalidate;
  if (!block || reads(model)) return [];
  const invalidate = compileInvalidation(block, { flow: model.name }, 'after.invalidate', tools);
  return [
    {
      stage: undefined,
      name: '',
      title: 'after',
      step: (frame) => {
        frame.output = frame.answer;
        return invalidate(frame) as Promise<undefined> | undefined;
      },
    },
  ];
}
