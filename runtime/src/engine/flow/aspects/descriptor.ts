import { originOf } from '@svc/protocol/schema';
import { written } from '../pipeline/argument-rules.ts';
import { describeStage, type StopContext, stop } from '../pipeline/descriptor.ts';
import { aspectsOf } from './selection.ts';
import type { Phase } from './spec.ts';

/** Around the gates: for messages that these refuse or drop. */
export const aspectGates = describeStage({ key: 'aspect_gates' });

/** Before the work, and around what is retried. */
export const aspectWork = describeStage({
  key: 'aspect_work',
  stages: { aspect: { looks: true, acts: true, decides: ({ target, index }) => target === 'if' && index === 0 } },
  stops: (_, context) => aspectStops(context, ['before', 'around']),
});

/** Selects the aspects that follow the end of the flow. */
export const aspectEnd = describeStage({
  key: 'aspect_end',
  stops: (_, context) => aspectStops(context, ['after', 'on_error', 'on_drop']),
});

/** An aspect is written in a block of its own, for each flow that it matches. */
function aspectStops({ flow, project }: StopContext, phases: readonly Phase[]) {
  const selected = aspectsOf(flow, project);
  return phases.flatMap((phase) =>
    (selected?.[phase] ?? []).map(({ name, values }) => {
      const { if: condition, action, response } = values;
      const rules = [...written(condition), ...(action?.transform?.fields ?? []), ...(response?.fields ?? [])];
      return stop('aspect', originOf(values), rules, name);
    }),
  );
}
