import { isAnswered, isWritten, originOf } from '@svc/protocol/schema';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';

/**
 * What gates say about messages that they turn away has an effect where it is written
 * (docs/specification/flow.md#dropped-messages).
 */
export const checkPolicies: FlowRule = ({ values }, connectors, report) => {
  const { from, accept } = values;
  if (!from) return;
  const { filter } = from;
  const inert = (message: string, at: Parameters<typeof report>[2], help: string) =>
    report('inert-attribute', message, at, { severity: 'warning', help });
  const source = connectors.get(from.connector)?.spec?.source;
  const answers = source?.style === 'request';
  const isHeard = source !== undefined && isAnswered(source, from.operation);
  const policies = [from, filter, accept].filter((body) => body !== undefined && isWritten(body, 'on_reject'));
  if (answers && filter)
    for (const word of ['id_field', 'max_requeue'] as const)
      if (isWritten(filter, word))
        inert(`${word} has no effect here: requests are never put back`, originOf(filter, word), 'Remove it.');
  if (answers)
    for (const body of policies)
      inert(
        'on_reject has no effect here: every request is answered, and nothing can be put back',
        originOf(body as NonNullable<typeof body>, 'on_reject'),
        'Remove it.',
      );
  else if (isWritten(from, 'on_reject') && !filter)
    inert('on_reject belongs to a filter, and the flow has no filter', originOf(from, 'on_reject'), 'Remove it.');
  const handling = values.error_handling;
  if (!isHeard && handling?.error_response)
    report(
      'inert-block',
      'error_response has no effect here: no caller waits for an answer',
      originOf(handling, 'error_response'),
      { severity: 'warning', help: 'Remove it; on_error says what becomes of the message.' },
    );
  if (!filter || answers) return;
  const policy = filter.on_reject ?? from.on_reject;
  if (policy !== 'requeue' && isWritten(filter, 'max_requeue'))
    inert('max_requeue counts nothing without on_reject = "requeue"', originOf(filter, 'max_requeue'), 'Remove it.');
  if (policy === 'requeue' && !filter.id_field)
    report(
      'requeue-without-identity',
      'requeued messages are distinguished by the id of the broker alone',
      originOf(from, 'filter'),
      {
        severity: 'warning',
        help: 'Write id_field = "input.<field>"; a message without any identity is not requeued.',
      },
    );
};
