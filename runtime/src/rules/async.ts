import { isWritten, originOf } from '@svc/protocol/schema';
import type { FlowRule } from './every-flow.ts';
import { titleOf } from './flow-places.ts';

/**
 * `async` needs somebody who is answered with the id of the job: a message of a stream would be acknowledged before its
 * work is done, and a schedule asks for nothing (supplement-flows 2.15).
 */
export const checkAsync: FlowRule = ({ name, values }, connectors, report) => {
  const { async, from } = values;
  if (!async) return;
  const at = originOf(values, 'async');
  const help = 'Remove the async block; a queue and a schedule wait for nobody anyway.';
  if (isWritten(values, 'when'))
    report('async-without-caller', `flow "${name}" runs on a schedule, which nobody asks for a job`, at, { help });
  const connector = connectors.get(from?.connector ?? '');
  if (connector?.spec?.source?.style !== 'stream') return;
  const message = `flow "${name}" takes messages of ${titleOf(connector)}, which would be settled before their work is done`;
  report('async-without-caller', message, at, { help });
};
