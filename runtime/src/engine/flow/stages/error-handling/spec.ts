import { block, cel, duration, flag, int, map, oneOf, reference, text } from '@svc/protocol/schema';

export const retry = block({
  doc: 'Runs the work of the flow, or the action of a step of a saga, again when it failed for a temporary reason.',
  reusable: true,
  definitionNeeds: ['attempts'],
  attributes: {
    attempts: int('Attempts in all, including the first.', { default: 1, min: 1, max: 1000 }),
    delay: duration('Wait before the second attempt.', { default: 1000 }),
    max_delay: duration('Longest wait.', { default: 30_000 }),
    unsafe: flag(
      'Retries also when it is unknown whether a write has happened, for example when the answer to a COMMIT is lost. Without it, only flows with `dedupe` and upserts are retried then.',
      { default: false },
    ),
    backoff: oneOf(
      'How the wait grows: it stays, grows by `delay`, or doubles.',
      ['constant', 'linear', 'exponential'],
      {
        default: 'constant',
      },
    ),
  },
  example: 'retry {\n  attempts = 3\n  delay    = "200ms"\n  backoff  = "exponential"\n}',
});

const fallback = block({
  doc: 'Where the original message goes when every attempt failed. The caller still gets the error.',
  attributes: {
    connector: reference('Destination of failed messages.', 'connector', { required: true }),
    target: text('Table, queue or path at the destination.', { required: true }),
    include_error: flag('Adds `error` with message, flow_name and timestamp.', { default: false }),
  },
  blocks: {
    transform: block({
      doc: 'Builds what is sent instead of the original message.',
      fields: cel('A field of the message.', { reads: ['input', 'error'] }),
    }),
  },
});

const errorResponse = block({
  doc: 'The answer to the caller when every attempt failed. It is sent as written in production too.',
  attributes: {
    status: int('HTTP status.', { default: 500, min: 100, max: 599 }),
    headers: map('Headers of the answer.', text('Value of one header.')),
  },
  blocks: {
    body: block({
      doc: 'Fields of the answer.',
      asAttribute: true,
      fields: cel('A field of the answer.', { reads: ['input', 'error'] }),
    }),
  },
});

const disposition = (doc: string) =>
  block({
    doc,
    attributes: {
      action: oneOf(
        '`retry` tries again as set in the block `retry`; `ack`, `reject` and `requeue` settle the message without another attempt.',
        ['ack', 'reject', 'requeue', 'retry'],
        { required: true },
      ),
    },
  });

export const errorHandling = block({
  doc: 'What happens when the work of the flow fails. Refused messages are not covered.',
  reusable: true,
  blocks: {
    retry,
    fallback,
    error_response: errorResponse,
    on_timeout: disposition('Only for work that took too long.'),
    on_error: disposition('Only for temporary failures that are not timeouts.'),
  },
  example:
    'error_handling {\n  retry {\n    attempts = 3\n  }\n  error_response {\n    status = 503\n    body {\n      message = "\'try later\'"\n    }\n  }\n}',
});
