import { isWritten, originOf } from '@svc/protocol/schema';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { blockStages } from '../../../engine/flow/pipeline/stages.ts';

const pieces = blockStages.filter(({ work }) => work === 'piece');
const whole = blockStages.filter(({ work }) => work === 'whole');

/** What is written beside a block that does the whole work would never run, so it is refused. */
export const checkWholeWork: FlowRule = ({ name, values }, _connectors, report) => {
  const [stage, another] = whole.filter(({ word }) => isWritten(values, word));
  if (stage === undefined) return;
  const first = stage.word;
  const second = another?.word;
  if (second !== undefined)
    report(
      'conflicting-blocks',
      `flow "${name}" has ${first} and ${second}, and each is the whole work of a flow`,
      originOf(values, second),
      {
        help: 'Make two flows of it.',
      },
    );
  for (const { word } of pieces)
    if (isWritten(values, word) && !stage.beside?.includes(word))
      report(
        'conflicting-blocks',
        `flow "${name}" has ${first}, which takes the place of ${word}`,
        originOf(values, word),
        {
          help: `Remove the ${word} block, or write it inside ${first} where that has one.`,
        },
      );
};
