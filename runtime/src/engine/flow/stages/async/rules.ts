import { isWritten, originOf } from '@svc/protocol/schema';
import { titleOf } from '../../../../connectors/core/declaration.ts';
import type { FlowRule } from '../../every-flow.ts';

/**
 * `async` needs a caller that is answered with the id of the job: a message of a stream would be acknowledged before
 * its work is done, and a schedule has no caller.
 */
export const checkAsync: FlowRule = ({ name, values }, connectors, report) => {
  const { async, from } = values;
  if (!async) return;
  const at = originOf(values, 'async');
  const help = 'Remove the async block; no caller waits for a flow of a queue or a schedule.';
  if (isWritten(values, 'when'))
    report('async-without-caller', `flow "${name}" runs on a schedule, which has no caller to answer with a job`, at, {
      help,
    });
  const connector = connectors.get(from?.connector ?? '');
  if (connector?.spec?.source?.style !== 'stream') return;
  const message = `flow "${name}" takes messages of ${titleOf(connector)}, which would be settled before their work is done`;
  report('async-without-caller', message, at, { help });
};
