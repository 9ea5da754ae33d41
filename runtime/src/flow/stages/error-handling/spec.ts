import { block, cel, duration, flag, int, map, oneOf, reference, text } from '@svc/protocol/schema';

export const retry = block({
  doc: 'Runs the work of the flow, or the action of a step of a saga, again when it failed for a reason that may pass.',
  reusable: true,
  definitionNeeds: ['attempts'],
  attributes: {
    attempts: int('Tries in all, the first included.', { default: 1, min: 1, max: 1000 }),
    delay: duration('Wait before the second try.', { default: 1000 }),
    max_delay: duration('Longest wait.', { default: 30_000 }),
    unsafe: flag(
      'Tries again also when it is unknown whether a write has happened, as when the answer to a COMMIT is lost. Without it, only flows with `dedupe` and upserts are tried again then.',
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
  doc: 'Where the original message goes when every try failed. The caller still gets the error.',
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
  doc: 'The answer to the caller when every try failed. It is sent as written in production too.',
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
        '`retry` tries again as `retry` says; `ack`, `reject` and `requeue` settle the message without another try.',
        ['ack', 'reject', 'requeue', 'retry'],
        { required: true },
      ),
    },
  });

export const errorHandling = block({
  doc: 'What happens when the work of the flow fails. Refused messages do not get here.',
  reusable: true,
  blocks: {
    retry,
    fallback,
    error_response: errorResponse,
    on_timeout: disposition('Only for work that took too long.'),
    on_error: disposition('Only for failures that may pass and are no timeouts.'),
  },
  example:
    'error_handling {\n  retry {\n    attempts = 3\n  }\n  error_response {\n    status = 503\n    body {\n      message = "\'try later\'"\n    }\n  }\n}',
});
