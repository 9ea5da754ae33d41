import { isWritten, originOf } from '@svc/protocol/schema';
import type { FlowRule } from './every-flow.ts';
import { specsOf, titleOf } from './flow-places.ts';

/** Blocks that do the whole work of a flow, and those that they take the place of (supplement-flows 2.4, 2.13, 3.1). */
const replaced = ['step', 'enrich', 'transform', 'dedupe', 'to', 'cache'] as const;
const whole = ['batch', 'state_transition'] as const;

/** What stands beside a block that does the whole work would never run, so it is refused. */
export const checkWholeWork: FlowRule = ({ name, values }, connectors, report) => {
  const written = whole.filter((word) => isWritten(values, word));
  const [first, second] = written;
  if (first === undefined) return;
  if (second !== undefined)
    report(
      'conflicting-blocks',
      `flow "${name}" has ${first} and ${second}, and each is the whole work of a flow`,
      originOf(values, second),
      {
        help: 'Make two flows of it.',
      },
    );
  // A state transition without a connector takes it from `to`.
  for (const word of replaced)
    if (isWritten(values, word) && !(word === 'to' && first === 'state_transition'))
      report(
        'conflicting-blocks',
        `flow "${name}" has ${first}, which takes the place of ${word}`,
        originOf(values, word),
        {
          help: `Remove the ${word} block, or write it inside ${first} where that has one.`,
        },
      );
  const { batch } = values;
  const source = connectors.get(batch?.source ?? '');
  if (batch && source && !specsOf(source).every(({ target }) => target?.takes.includes('query')))
    report('not-a-source', `${titleOf(source)} answers no queries`, originOf(batch, 'source'), {
      help: 'Name a relational database.',
    });
};
